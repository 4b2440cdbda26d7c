import { leavesOf, type StopCondition } from '../model/condition.js';
import { needsOf, limitOf } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import type { Facts } from '../model/judging/facts.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { StopConditionResult } from '../model/verdict.js';
import { judge } from './judge.js';
import type { RunState } from '../model/run-state.js';

/**
 * The next probe whose answer can still change what a condition of the policy comes to, or undefined when none can. An
 * `all` that is already refuted, or an `any` that is already met, needs no script to be run.
 */
export function nextProbe(policy: Policy, facts: Facts): StopCondition | undefined {
  return policyEntries(policy)
    .flatMap(({ condition }) => [...openProbes(judge(condition, facts)), ...ownProbes(condition, facts)])
    .filter((probe) => facts.probes?.[conditionKey(probe)] === undefined)
    .sort((a, b) => costOf(a) - costOf(b))[0];
}

/**
 * What is asked whatever the others say: lists and metrics, because progress follows from them, and before the first iteration
 * whether a file is there, which decides later whether it is fresh.
 */
function ownProbes(condition: StopCondition, { iteration }: Facts): readonly StopCondition[] {
  return leavesOf(condition).filter((leaf) => {
    const { probe } = needsOf(leaf);
    if (probe?.kind === 'checklist' || probe?.kind === 'measurement') return true;
    return iteration === 0 && probe?.kind === 'file' && probe.fresh === true;
  });
}

/** Cheap ones first: a file is checked before a program is started. */
function costOf(condition: StopCondition): number {
  const { probe } = needsOf(condition);
  if (probe?.kind === 'file') return probe.content === undefined ? 0 : 1;
  if (probe?.kind === 'checklist') return 1;
  return probe?.kind === 'function' ? 2 : 3;
}

/** Probes under nodes that are still open. A `for` needs its inside judged either way. */
function openProbes(result: StopConditionResult): readonly StopCondition[] {
  if (result.children !== undefined) {
    const open = result.status === 'unknown' || result.condition.type === 'for';
    return open ? result.children.flatMap(openProbes) : [];
  }
  return needsOf(result.condition).probe === undefined ? [] : [result.condition];
}

/** When the passing of time alone will next change a condition. */
interface Threshold {
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
