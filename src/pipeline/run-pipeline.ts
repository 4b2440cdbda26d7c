import { resolve } from 'node:path';
import type { StopCondition } from '../model/condition.js';
import { ConfigError } from '../model/errors.js';
import { showValue } from '../model/show-value.js';
import { continuePipelineRun, createPipelineRun, type PipelineOptions } from './create-pipeline.js';
import type { PipelineHandle, PipelineResult } from './pipeline-handle.js';
import { restartOf, startOf, type WantedPipeline } from './pipeline-start.js';
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
  /** Items that are made again, although they are final. */
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
  const wanted = { environment, only, concurrency, limits, inCode: inCodeOf(options) };
  return createPipelineRun(await startOf(manifest, resolve(cwd), wanted).plan(), rest);
}

/** A pipeline that was halted or interrupted, to continue with it: `run()` makes what is left. Throws ConfigError. */
export async function resumePipeline(options: ResumePipelineOptions = {}): Promise<PipelineHandle> {
  if (typeof options !== 'object' || options === null) {
    const message = `takes options, such as { run: '01M7G4PK6V' }, not ${showValue(options)}`;
    throw new ConfigError([{ path: 'resumePipeline', message }]);
  }
  const { cwd = '.', run, only, redo, acceptManifest, concurrency, limits, ...rest } = options;
  const environment = options.environment ?? process.env;
  const recorded = await findRecordedPipeline(resolve(cwd), run, environment);
  const { state, runId } = recorded;
  const wanted = { environment, only, redo, acceptManifest, concurrency, limits, inCode: inCodeOf(options) };
  const going = await restartOf(recorded, wanted).plan();
  return continuePipelineRun(going.plan, { ...state, runId }, { ...rest, ...going });
}

function inCodeOf({ agent, reviewer }: PipelineOptions): NonNullable<WantedPipeline['inCode']> {
  return { hasOwnAgent: agent !== undefined, hasReviewer: reviewer !== undefined };
}
