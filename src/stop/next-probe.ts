import type { ProbeCondition } from '../model/condition.js';
import { CONDITION_CATALOG, isProbe } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import type { Facts } from '../model/judging/facts.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { StopConditionResult } from '../model/verdict.js';
import { judge } from './judge.js';

/**
 * The next probe whose answer can still change what a condition of the policy comes to, or undefined when none can. An
 * `all` that is already refuted, or an `any` that is already met, needs no script to be run.
 */
export function nextProbe(policy: Policy, facts: Facts): ProbeCondition | undefined {
  return policyEntries(policy)
    .flatMap((entry) => openProbes(judge(entry.condition, facts)))
    .filter((probe) => facts.probes?.[conditionKey(probe)] === undefined)
    .sort((a, b) => costOf(a) - costOf(b))[0];
}

/** Cheap ones first: a file is checked before a program is started. */
function costOf({ type }: ProbeCondition): number {
  return CONDITION_CATALOG[type].probe?.cost ?? 0;
}

/** Probes under nodes that are still open. A `for` needs its inside told either way. */
function openProbes(result: StopConditionResult): readonly ProbeCondition[] {
  if (result.children !== undefined) {
    const open = result.status === 'unknown' || result.condition.type === 'for';
    return open ? result.children.flatMap(openProbes) : [];
  }
  return result.status === 'unknown' && isProbe(result.condition) ? [result.condition] : [];
}
