import { endedItems, NEW_PIPELINE, ratesOf } from '../model/reduce-pipeline.js';
import type { PipelineState } from '../model/run-state.js';

/** Story 4.4's state of a run, as far as its rates need it. A `state.json` is one. */
export interface FrameRunState {
  /** By id, in the order in which they ended. */
  readonly frame_states: Readonly<Record<string, FrameState>>;
  /** Items in a row that were rejected or failed. Without it the last ones of `frame_states` are counted. */
  readonly consecutive_fail_count?: number | undefined;
}

export interface FrameState {
  readonly status: string;
  readonly attempts: readonly unknown[];
}

/**
 * The part of the finished items that took more than one attempt; 0 when none is finished.
 *
 * @example
 * ```ts
 * import { calculateRetryRate } from 'pawl/pipeline';
 *
 * calculateRetryRate({ frame_states: { a: { status: 'approved', attempts: [1, 2] } } }); // 1
 * ```
 */
export function calculateRetryRate(state: FrameRunState): number {
  return ratesOf(pipelineOf(state)).retryRate;
}

/** The part of the finished items that was rejected or failed; 0 when none is finished. */
export function calculateRejectRate(state: FrameRunState): number {
  return ratesOf(pipelineOf(state)).rejectRate;
}

/** The counts that decide, from the items one by one. */
export function pipelineOf({ frame_states, consecutive_fail_count }: FrameRunState): PipelineState {
  const frames = Object.values(frame_states);
  const ended = frames.filter(({ status }) => isFinal(status));
  const of = (wanted: string) => ended.filter(({ status }) => status === wanted).length;
  const lastApproved = ended.findLastIndex(({ status }) => status === 'approved');
  const pipeline: PipelineState = {
    ...NEW_PIPELINE,
    items: frames.length,
    approved: of('approved'),
    rejected: of('rejected'),
    failed: of('failed'),
    withRetries: ended.filter(({ attempts }) => attempts.length > 1).length,
    attempts: frames.reduce((sum, { attempts }) => sum + attempts.length, 0),
  };
  return { ...pipeline, consecutiveFails: consecutive_fail_count ?? endedItems(pipeline) - lastApproved - 1 };
}

function isFinal(status: string): boolean {
  return status === 'approved' || status === 'rejected' || status === 'failed';
}
