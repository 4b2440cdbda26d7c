import { ratesOf } from '../../model/pipeline-counts.js';
import type { RunState } from '../../model/run-state.js';
import { itemsOf } from '../terminal/item-figures.js';

/** What a run has done, for machines: the iterations of a loop, the items and attempts of a pipeline. */
export function workJson({ pipeline, iterations }: RunState) {
  if (pipeline === undefined) return { iterations };
  const { approved, rejected, failed, attempts, consecutiveFails } = pipeline;
  const { items: total, left } = itemsOf(pipeline);
  return { items: { total, approved, rejected, failed, left }, attempts, ...ratesOf(pipeline), consecutiveFails };
}
