import { childrenOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { type Policy, type PolicyEntry, policyEntries } from '../model/policy.js';

/** Can become true while an agent works: every leaf can, and nothing in it waits for an iteration to end. */
export function isLive(condition: StopCondition): boolean {
  if (condition.type === 'not' || condition.type === 'for') return false;
  const children = childrenOf(condition);
  return children.length > 0 ? children.every(isLive) : CONDITION_CATALOG[condition.type].live === true;
}

const interrupting = new WeakMap<Policy, readonly PolicyEntry[]>();

/** The conditions that may interrupt an agent: live ones, never a goal. */
export function interruptingEntries(policy: Policy): readonly PolicyEntry[] {
  let entries = interrupting.get(policy);
  if (entries === undefined) {
    entries = policyEntries(policy).filter((entry) => entry.class !== 'goal' && isLive(entry.condition));
    interrupting.set(policy, entries);
  }
  return entries;
}
