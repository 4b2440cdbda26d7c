import type { Environment } from '../journal/run-places.js';
import type { StopCondition } from '../model/condition.js';
import { specRedactor } from '../run/spec-redactor.js';
import { type Continuation, continuePipeline } from './continue-pipeline.js';
import { loadManifest, type Manifest } from './manifest/load-manifest.js';
import type { PipelinePlan } from './pipeline-plan.js';
import { planPipeline } from './plan-pipeline.js';
import type { RecordedPipeline } from './recorded-pipeline.js';

export interface WantedPipeline {
  readonly environment: Environment;
  readonly concurrency?: number | undefined;
  /** Only these items. */
  readonly only?: readonly string[] | undefined;
  /** Limits in place of those of the same type. */
  readonly limits?: readonly StopCondition[] | undefined;
  /** The caller brings a generator, a reviewer: the manifest need not name one. */
  readonly inCode?: { readonly hasOwnAgent: boolean; readonly hasReviewer: boolean } | undefined;
}

export interface WantedContinuation extends WantedPipeline {
  /** In place of the manifest that the run began with. */
  readonly manifest?: string | undefined;
  /** Items that are made again, although they are final. */
  readonly redo?: readonly string[] | undefined;
  readonly acceptManifest?: boolean | undefined;
}

/** A pipeline whose manifest was read. Nothing that it names has been executed. */
export interface PipelineStart<T> {
  readonly loaded: Manifest;
  /** Lists the items, by a command if the manifest names one, and plans what is made of them. Throws ConfigError. */
  readonly plan: () => Promise<T>;
}

/** The start of a new pipeline. Throws ConfigError. */
export function startOf(manifest: string, cwd: string, wanted: WantedPipeline): PipelineStart<PipelinePlan> {
  const { environment, inCode, only, concurrency, limits } = wanted;
  const loaded = loadManifest(manifest, { cwd, env: environment, ...inCode });
  const redact = specRedactor(loaded.spec, environment).text;
  return { loaded, plan: () => planPipeline(loaded, { environment, only, concurrency, limits, redact }) };
}

/** The same for a recorded pipeline that is resumed: with its own items and limits, and the changes that are wanted. */
export function restartOf(recorded: RecordedPipeline, wanted: WantedContinuation): PipelineStart<Continuation> {
  const { spec, pipelineSpec } = recorded;
  const { environment, inCode, manifest = pipelineSpec.manifest, concurrency, limits, ...changes } = wanted;
  const loaded = loadManifest(manifest, { cwd: spec.workingDir, env: environment, isRecorded: true, ...inCode });
  const redact = specRedactor(loaded.spec, environment).text;
  const asBefore = { only: pipelineSpec.only, limits: pipelineSpec.limits };
  const { acceptManifest, redo, only } = changes;
  return {
    loaded,
    async plan() {
      const now = await planPipeline(loaded, { ...asBefore, environment, concurrency, redact });
      return continuePipeline(recorded, now, { acceptManifest, redo, only, raise: limits, redact });
    },
  };
}
