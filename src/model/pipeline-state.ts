import type { ItemStates } from './item-state.js';
import type { PipelineSpec } from './pipeline-spec.js';

/** What the record says of a pipeline's items, all together and one by one. */
export interface PipelineState {
  readonly items: number;
  readonly approved: number;
  readonly rejected: number;
  readonly failed: number;
  readonly withRetries: number;
  readonly attempts: number;
  readonly consecutiveFails: number;
  readonly spec?: PipelineSpec | undefined;
  /** How many of the items the manifest does not name any more. They never became final. */
  readonly withdrawn?: number | undefined;
  /** The rates at which an operator let the run go on: only worse ones halt it again. */
  readonly accepted?: PipelineRates | undefined;
  /** Those that the operator saw then. What is made once more is taken out of them, which may make them worse. */
  readonly seen?: PipelineRates | undefined;
  readonly states?: ItemStates | undefined;
  /** The figures that the run was halted by. What was in flight then has changed them since. */
  readonly atHalt?: PipelineFigures | undefined;
}

export interface PipelineRates {
  readonly retryRate: number;
  readonly rejectRate: number;
}

type PipelineFigures = Pick<
  PipelineState,
  'approved' | 'rejected' | 'failed' | 'withRetries' | 'attempts' | 'consecutiveFails'
>;
