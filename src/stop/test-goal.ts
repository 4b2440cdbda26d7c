import { needsOf } from '../model/condition-catalog.js';
import { leavesOf } from '../model/condition.js';
import { policyEntries } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';

/** Whether a goal needs all tests to pass, by the rule that compares them with those of the start. */
export function hasTestGoal({ policy, rules = {} }: RunState): boolean {
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  return goals
    .flatMap(({ condition }) => leavesOf(condition))
    .some((leaf) => needsOf(leaf).tests === 'all' && (rules[leaf.type] ?? 1) > 1);
}
