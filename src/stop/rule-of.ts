import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Rule } from '../model/judging/condition-definition.js';
import type { Facts } from '../model/judging/facts.js';

/** The rule of a condition in the version that the run was started with; outside of a run, the newest. */
export function ruleOf({ type }: StopCondition, { rules }: Facts): Rule<StopCondition> {
  const definition = CONDITION_CATALOG[type];
  if (definition.version === 1 || rules === undefined) return definition;
  const earlier = definition.earlier?.[rules[type] ?? 1];
  return earlier === undefined ? definition : { ...definition, ...earlier };
}
