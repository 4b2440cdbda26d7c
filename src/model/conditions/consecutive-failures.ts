import { ofLimit, plural, unitOf } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const consecutiveFailures = defineCondition({
  type: 'consecutive_failures',
  about: 'this many iterations in a row failed or timed out',
  fields: { count: field.count },
  make: (count: number) => ({ count }),
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'both',
  streak: true,
  judge: ({ count: limit }, facts) =>
    reached(facts.streaks.failures, limit, (value) => `${ofLimit(value, limit, unitOf(facts))} in a row failed`),
  describe: ({ count }, unit) => `after ${plural(count, `failed ${unit}`)} in a row`,
  measure: ({ count }, { streaks }) => measure(streaks.failures, count, 'iterations'),
  takesMore: (left, _condition, facts) => plural(left, `more failed ${unitOf(facts)}`),
  iterationsNeeded: ({ count }) => count,
});
