import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Facts } from '../model/judging/facts.js';
import { type Measure, measure } from '../model/judging/measure.js';
import { measuredIn, usedOf } from '../model/judging/quantity.js';
import { ruleOf } from './rule-of.js';

/** Where a condition is, in figures; undefined for what is no matter of figures: a file, a word, a composite. */
export function measureOf(condition: StopCondition, facts: Facts): Measure | undefined {
  const own = ruleOf(condition, facts).measure;
  if (own !== undefined) return own(condition, facts);
  const { limit } = CONDITION_CATALOG[condition.type];
  if (limit === undefined) return undefined;
  const { quantity, amount } = limit(condition);
  const unit = measuredIn(quantity, facts);
  return unit === undefined || Number.isNaN(amount) ? undefined : measure(usedOf(quantity, facts), amount, unit);
}
