import type { ItemStates } from './item-state.js';
import type { Iterating } from './phase.js';
import type { PipelineCounts, PipelineRates } from './pipeline-counts.js';
import type { PipelineSpec } from './pipeline-spec.js';

/** What the record says of a pipeline's items, all together and one by one. */
export interface PipelineState extends PipelineCounts {
  readonly spec?: PipelineSpec | undefined;
  /** The rates that an operator saw when he resumed the run. What is processed again is taken out of them, which may make them worse. */
  readonly seen?: PipelineRates | undefined;
  readonly states?: ItemStates | undefined;
  /** Attempts that have started and not ended, by the index of their item. */
  readonly open?: Readonly<Record<string, Iterating>> | undefined;
  /** The figures that the run was halted by. What was in flight then has changed them since. */
  readonly atHalt?: PipelineFigures | undefined;
}

type PipelineFigures = Pick<
  PipelineState,
  'approved' | 'rejected' | 'failed' | 'withRetries' | 'attempts' | 'consecutiveFails'
>;

/** Items whose attempt has started and not ended. */
export function openAttempts({ open = {} }: PipelineState): number {
  return Object.keys(open).length;
}
