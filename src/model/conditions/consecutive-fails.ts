import { count, haltsAt, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const consecutiveFails = defineCondition({
  type: 'consecutive_fails',
  about: 'this many items in a row were rejected or failed',
  fields: { count: field.count },
  make: (items: number) => ({ count: items }),
  short: 'count',
  class: 'failure',
  priority: 76,
  where: 'pipeline',
  judge: ({ count: limit }, { pipeline }) =>
    reached(pipeline?.consecutiveFails, limit, (value) => {
      if (value < limit) return `${count(value)} of ${plural(limit, 'item')} in a row rejected or failed`;
      return `${plural(value, 'item')} in a row failed or ${value === 1 ? 'was' : 'were'} rejected, ${haltsAt(limit)}`;
    }),
  describe: (condition) => `after ${plural(condition.count, 'item')} in a row that are rejected or fail`,
  measure: (condition, { pipeline }) => measure(pipeline?.consecutiveFails, condition.count, 'items'),
  takesMore: (left) => plural(left, 'more failed item'),
});
