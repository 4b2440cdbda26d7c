import type { EventOf } from './run-event.js';
import type { PipelineState, RunState } from './run-state.js';
import { beginIteration, endIteration } from './spend-account.js';

export const NEW_PIPELINE: PipelineState = Object.freeze({
  items: 0,
  approved: 0,
  rejected: 0,
  failed: 0,
  withRetries: 0,
  attempts: 0,
  consecutiveFails: 0,
});

type PipelineEvent = EventOf<'item-started' | 'attempt-started' | 'attempt-ended' | 'item-ended'>;

/** Counts items with a final status and attempts made. An attempt uses up an iteration. */
export function foldPipeline(state: RunState, event: PipelineEvent): RunState {
  const pipeline = state.pipeline ?? NEW_PIPELINE;
  switch (event.type) {
    case 'attempt-ended':
      return {
        ...state,
        iterations: state.iterations + 1,
        // An attempt that told nothing is charged like the dearest so far, as an iteration is.
        spend: beginIteration(endIteration(state.spend, true)),
        pipeline: { ...pipeline, attempts: pipeline.attempts + 1 },
      };
    case 'item-ended':
      return {
        ...state,
        pipeline: {
          ...pipeline,
          [event.status]: pipeline[event.status] + 1,
          withRetries: pipeline.withRetries + (event.attempts > 1 ? 1 : 0),
          consecutiveFails: event.status === 'approved' ? 0 : pipeline.consecutiveFails + 1,
        },
      };
    case 'item-started':
    case 'attempt-started':
      return state;
    default:
      return event satisfies never;
  }
}
