import { endedItems, ratesOf } from '../model/pipeline-counts.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import type { PipelineState } from '../model/pipeline-state.js';
import { type PipelineStatistics, statisticsOf } from './statistics.js';

/** Story 4.4's state of a run, as far as its rates need it. A `state.json` is one. */
export interface FrameRunState {
  /** By id, in the order in which they ended. */
  readonly frame_states: Readonly<Record<string, FrameState>>;
  /** Items in a row that were rejected or failed. Without it the last ones of `frame_states` are counted. */
  readonly consecutive_fail_count?: number | undefined;
}

export interface FrameState {
  /** Its place among all items, from 0. Without it the order of `frame_states` counts. */
  readonly index?: number | undefined;
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

/** Story 4.4's eight figures of a run. */
export function calculateRunStatistics(state: FrameRunState): PipelineStatistics {
  return statisticsOf(pipelineOf(state));
}

/** Where a run continues: the place, from 0, of the first item without a final status; undefined when there is none. */
export function findNextPendingFrame({ frame_states }: FrameRunState): number | undefined {
  let first: number | undefined;
  for (const [place, { index = place, status }] of Object.values(frame_states).entries()) {
    if (!isFinal(status) && status !== 'withdrawn') first = Math.min(first ?? index, index);
  }
  return first;
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
