import { leavesOf } from '../model/condition.js';
import { limitOf } from '../model/condition-catalog.js';
import { type Policy, policyEntries } from '../model/policy.js';
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
  const limits = policyEntries(policy)
    .flatMap((entry) => leavesOf(entry.condition))
    .flatMap((leaf) => limitOf(leaf) ?? []);
  const nowMs = state.at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(state.at);
  const amounts = (of: 'activeMs' | 'atMs') =>
    limits.flatMap(({ quantity, amount }) => (quantity === of ? [amount] : []));
  const remaining = amounts('activeMs').map((ms) => ms - state.activeMs);
  const afterActiveMs = smallest(remaining.filter((ms) => ms > 0));
  const atMs = smallest(amounts('atMs').filter((ms) => ms > nowMs));
  return {
    ...(afterActiveMs === undefined ? {} : { afterActiveMs }),
    ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
  };
}

function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
