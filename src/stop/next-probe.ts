import { isProbe, type ProbeCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { judge } from './judge.js';

/** Cheap ones first: a file is looked at before a program is started. */
const COST: Readonly<Record<ProbeCondition['type'], number>> = {
  file_created: 0,
  file_contains: 1,
  function: 2,
  custom_script: 3,
};

/**
 * The next probe whose answer can still change what a condition of the policy comes to, or undefined when none can. An
 * `all` that is already refuted, or an `any` that is already met, needs no script to be run.
 */
export function nextProbe(policy: Policy, facts: Facts): ProbeCondition | undefined {
  return policyEntries(policy)
    .flatMap((entry) => openProbes(judge(entry.condition, facts)))
    .filter((probe) => facts.probes?.[conditionKey(probe)] === undefined)
    .sort((a, b) => COST[a.type] - COST[b.type])[0];
}

/** Probes under nodes that are still open. A `for` needs its inside told either way. */
function openProbes(result: StopConditionResult): readonly ProbeCondition[] {
  if (result.children !== undefined) {
    const open = result.status === 'unknown' || result.condition.type === 'for';
    return open ? result.children.flatMap(openProbes) : [];
  }
  return result.status === 'unknown' && isProbe(result.condition) ? [result.condition] : [];
}
