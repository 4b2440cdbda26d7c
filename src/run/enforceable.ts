import { leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { ConfigError } from '../model/errors.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { UsageReporting } from '../model/run-event.js';

/** A limit on spend that nobody can hold is refused before the first iteration. Throws ConfigError. */
export function checkBudgetIsEnforceable(
  policy: Policy,
  agent: { readonly name: string; readonly usage: UsageReporting },
): void {
  if (agent.usage !== 'none') return;
  const issues = policyEntries(policy)
    .filter(({ condition }) => leavesOf(condition).some((leaf) => CONDITION_CATALOG[leaf.type].spend === true))
    .map(({ path, condition }) => ({
      path,
      message: `${agent.name} does not report usage, so this limit cannot be enforced; ${wayOut(condition)}, and use max_iterations or max_duration`,
    }));
  if (issues.length > 0) throw new ConfigError(issues);
}

function wayOut({ type }: StopCondition): string {
  const { flag } = CONDITION_CATALOG[type];
  return flag === undefined ? 'remove it' : `remove it, or run with --${flag.name} 0`;
}
