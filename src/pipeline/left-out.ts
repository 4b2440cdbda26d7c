import { endedItems } from '../model/pipeline-counts.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { plural } from '../model/figures.js';
import { evaluateRun } from '../stop/evaluate-policy.js';

/** What a run ends with when nobody may work on the items that are left. */
export function leftOutVerdict(state: RunState): Verdict {
  const verdict = evaluateRun(state);
  const { pipeline } = state;
  if (verdict.stop || pipeline === undefined) return verdict;
  const left = pipeline.items - (pipeline.withdrawn ?? 0) - endedItems(pipeline);
  const message = `the items asked for are done; ${plural(left, 'item')} left out by --only`;
  return { ...verdict, stop: true, class: 'limit', reasons: [{ path: '--only', class: 'limit', message }] };
}
