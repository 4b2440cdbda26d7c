import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { plural, type Unit } from '../model/figures.js';
import { type Answer, notMet, unknown } from '../model/judging/answer.js';
import type { Rule } from '../model/judging/condition-definition.js';
import type { Facts } from '../model/judging/facts.js';
import { type Measure, measure } from '../model/judging/measure.js';
import { measuredIn, usedOf } from '../model/judging/quantity.js';
import type { StopConditionResult } from '../model/verdict.js';
import { isNoLimit } from '../model/policy.js';

/**
 * S1: what the facts say of a condition. Reads no clock, no disk, no network; the same facts always give the same answer.
 * Every part of a composite is judged, so that every sentence can be shown.
 */
export function judge(condition: StopCondition, facts: Facts): StopConditionResult {
  const answer = ruleOf(condition, facts).judge(condition, facts, (inner) => judge(inner as StopCondition, facts));
  return { condition, ...answer } as StopConditionResult;
}

/** The rule of a condition in the version that the run was started with; outside of a run, the newest. */
function ruleOf({ type }: StopCondition, { rules }: Facts): Rule<StopCondition> {
  const definition = CONDITION_CATALOG[type];
  if (rules === undefined) return definition;
  const earlier = definition.earlier?.[rules[type] ?? 1];
  return earlier === undefined ? definition : { ...definition, ...earlier };
}

/** A condition with `confirm` is met when it held in every one of the repeated observations. */
export function judgeConfirmed(
  condition: StopCondition,
  times: number,
  facts: Facts,
  first = judge(condition, facts),
): StopConditionResult {
  if (times <= 1 || first.status !== 'met') return first;
  const { children, hold, reason } = first;
  const inside = { children, hold };
  const as = (answer: Answer) => ({ condition, ...answer }) as StopConditionResult;
  const repeats = (facts.confirmations ?? []).slice(0, times - 1);
  const failed = repeats
    .map((observed) =>
      judge(condition, { ...facts, tests: undefined, checks: undefined, probes: undefined, ...observed }),
    )
    .find((result) => result.status !== 'met');
  if (failed !== undefined) return as(notMet(`held once, then not: ${failed.reason}`, 0, inside));
  const held = 1 + repeats.length;
  if (held >= times) return { ...first, reason: `${reason} (checked ${plural(times, 'time')})` };
  if (facts.isOtherPolicy === true)
    return as(unknown(`${reason} (confirmed ${held} of ${plural(times, 'time')})`, held / times, inside));
  return as(notMet(`${reason} (checked ${held} of ${plural(times, 'time')})`, held / times, inside));
}

/** Where a condition is, in figures; undefined for what has none: a file, a word, a composite. */
export function measureOf(condition: StopCondition, facts: Facts): Measure | undefined {
  const own = ruleOf(condition, facts).measure;
  if (own !== undefined) return own(condition, facts);
  const { limit } = CONDITION_CATALOG[condition.type];
  if (limit === undefined) return undefined;
  const { quantity, amount } = limit(condition);
  const unit = measuredIn(quantity, facts);
  return unit === undefined || Number.isNaN(amount) ? undefined : measure(usedOf(quantity, facts), amount, unit);
}

/** When the condition stops a run, to be read after "stops": "after 30 iterations", "when all tests pass". */
export function describe(condition: StopCondition, unit: Unit = 'iteration'): string {
  if (isNoLimit(condition)) return `no ${condition.type}`;
  const describeInner = (inner: object) => describe(inner as StopCondition, unit);
  return CONDITION_CATALOG[condition.type].describe(condition, unit, describeInner);
}
