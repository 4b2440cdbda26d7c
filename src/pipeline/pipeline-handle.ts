import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import type { NewEvent } from '../model/run-event.js';
import { LiveHandle, type RunSource } from '../run/live-handle.js';
import type { RunParts } from '../run/run-host.js';
import type { RunResult } from '../run/history.js';
import { type HaltReason, haltReasonIn } from './halt-reason.js';
import { LivePipeline } from './live-pipeline.js';
import type { PipelineParts } from './pipeline-parts.js';
import { preparePipeline, type ResumeWishes } from './prepare-pipeline.js';
import { runItems } from './run-items.js';
import { type PipelineStatistics, statisticsOf } from './statistics.js';

/** How a pipeline, or this stretch of it, ended; why and with which figures in Story 4.4's words, as in `state.json`. */
export interface PipelineResult extends RunResult {
  /** Absent when it was not halted. */
  readonly stop_reason?: HaltReason | undefined;
  readonly statistics: PipelineStatistics;
}

/** Where a pipeline comes from: a run, and what is made around it once its record is open. */
export interface PipelineSource {
  readonly run: RunSource;
  /** `record` never throws, and is not called before there is something to record. */
  readonly partsOf: (run: RunParts, record: (event: NewEvent) => void) => PipelineParts;
  readonly wishes?: ResumeWishes | undefined;
  /** Stops the run at once, unless `run()` is given another. */
  readonly signal?: AbortSignal | undefined;
}

/** A pipeline to be started, steered and watched. Keeps no global, installs no handler, prints nothing. */
export class PipelineHandle extends LiveHandle {
  readonly #source: PipelineSource;

  constructor(source: PipelineSource) {
    super(source.run);
    this.#source = source;
  }

  /** Runs until every item is final or the policy says stop. Resolves however it ends; rejects when it cannot start. */
  async run({
    signal = this.#source.signal,
  }: {
    readonly signal?: AbortSignal | undefined;
  } = {}): Promise<PipelineResult> {
    const { partsOf, wishes = {} } = this.#source;
    const result = await this.start({
      signal,
      begin: (run) => {
        const parts: PipelineParts = partsOf(run, (event) => live.recordOfAttempt(event));
        const live = new LivePipeline(parts);
        return {
          live,
          async go(onRunning) {
            await preparePipeline(live, parts, wishes, onRunning);
            await runItems(live);
          },
        };
      },
    });
    const { state } = result;
    const stop_reason = haltReasonIn(state);
    const statistics = statisticsOf(state.pipeline ?? NEW_PIPELINE);
    return { ...result, ...(stop_reason === undefined ? {} : { stop_reason }), statistics };
  }
}
