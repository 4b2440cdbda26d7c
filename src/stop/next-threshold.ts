import { leavesOf } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import { policyEntries } from '../model/policy.js';
import type { Policy } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';

/** When the passing of time alone will next change a condition. */
export interface Threshold {
  /** After this much more active time. */
  readonly afterActiveMs?: number;
  /** At this wall time. */
  readonly at?: string;
}

/** The nearest moments still ahead, by both clocks; the runner arms one timer for them and records a tick. */
export function nextThreshold(policy: Policy, state: RunState): Threshold {
  const leaves = policyEntries(policy).flatMap((entry) => leavesOf(entry.condition));
  const nowMs = state.at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(state.at);
  const remaining = leaves.flatMap((leaf) =>
    leaf.type === 'max_duration' ? [(parseDuration(leaf.duration) ?? 0) - state.activeMs] : [],
  );
  const deadlines = leaves.flatMap((leaf) => (leaf.type === 'deadline' ? [Date.parse(leaf.at)] : []));
  const afterActiveMs = smallest(remaining.filter((ms) => ms > 0));
  const atMs = smallest(deadlines.filter((ms) => ms > nowMs));
  return {
    ...(afterActiveMs === undefined ? {} : { afterActiveMs }),
    ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
  };
}

function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
