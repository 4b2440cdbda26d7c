import { resolve } from 'node:path';
import type { StopCondition } from '../model/condition.js';
import { ConfigError } from '../model/errors.js';
import { showValue } from '../model/show-value.js';
import { specRedactor } from '../run/spec-redactor.js';
import { continuePipeline } from './continue-pipeline.js';
import { continuePipelineRun, createPipelineRun, type PipelineOptions } from './create-pipeline.js';
import { loadManifest } from './load-manifest.js';
import type { PipelineHandle, PipelineResult } from './pipeline-handle.js';
import { planPipeline } from './plan-pipeline.js';
import { findRecordedPipeline } from './recorded-pipeline.js';

export interface RunPipelineOptions extends PipelineOptions {
  /** Where the manifest is looked for and the run takes place. */
  readonly cwd?: string | undefined;
  /** Only these items. */
  readonly only?: readonly string[] | undefined;
  readonly concurrency?: number | undefined;
  /** Limits in place of those of the same type. */
  readonly limits?: readonly StopCondition[] | undefined;
}

export interface ResumePipelineOptions extends RunPipelineOptions {
  /** An id or the beginning of one; the latest pipeline when it is left out. */
  readonly run?: string | undefined;
  /** Items that are made once more, although they are final. */
  readonly redo?: readonly string[] | undefined;
  readonly acceptManifest?: boolean | undefined;
}

/**
 * Makes the items of a manifest and resolves however that ends. Executes what lists the items, if that is a command;
 * rejects with ConfigError when anything is wrong.
 *
 * @example
 * ```ts
 * import { runPipeline } from 'pawl/pipeline';
 *
 * const { status, state } = await runPipeline('pipeline.yaml', { concurrency: 4 });
 * console.log(status, state.pipeline?.approved);
 * ```
 */
export async function runPipeline(manifest: string, options: RunPipelineOptions = {}): Promise<PipelineResult> {
  return (await createPipeline(manifest, options)).run();
}

/** The same, to be steered and watched: `run()` makes the items. */
export async function createPipeline(manifest: string, options: RunPipelineOptions = {}): Promise<PipelineHandle> {
  const { cwd = '.', only, concurrency, limits, ...rest } = options;
  const environment = options.environment ?? process.env;
  const inCode = { hasOwnAgent: options.agent !== undefined, hasReviewer: options.reviewer !== undefined };
  const loaded = loadManifest(manifest, { cwd: resolve(cwd), env: environment, ...inCode });
  const redact = specRedactor(loaded.spec, environment).text;
  const plan = await planPipeline(loaded, { environment, only, concurrency, limits, redact });
  return createPipelineRun(plan, rest);
}

/** A pipeline that was halted or interrupted, to go on with it: `run()` makes what is left. Throws ConfigError. */
export async function resumePipeline(options: ResumePipelineOptions = {}): Promise<PipelineHandle> {
  if (typeof options !== 'object' || options === null) {
    const message = `takes options, such as { run: '01M7G4PK6V' }, not ${showValue(options)}`;
    throw new ConfigError([{ path: 'resumePipeline', message }]);
  }
  const { cwd = '.', run, only, redo, acceptManifest, concurrency, limits, ...rest } = options;
  const environment = options.environment ?? process.env;
  const recorded = await findRecordedPipeline(resolve(cwd), run, environment);
  const { pipelineSpec, spec, state, runId } = recorded;
  const inCode = { hasOwnAgent: options.agent !== undefined, hasReviewer: options.reviewer !== undefined };
  const loaded = loadManifest(pipelineSpec.manifest, {
    cwd: spec.workingDir,
    env: environment,
    isRecorded: true,
    ...inCode,
  });
  const redact = specRedactor(loaded.spec, environment).text;
  const asBefore = { only: pipelineSpec.only, limits: pipelineSpec.limits };
  const now = await planPipeline(loaded, { ...asBefore, environment, concurrency, redact });
  const going = await continuePipeline(recorded, now, { acceptManifest, redo, only, raise: limits, redact });
  return continuePipelineRun(going.plan, { ...state, runId }, { ...rest, ...going });
}
