import { ofLimit, plural, quote } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const repeatedError = defineCondition({
  type: 'repeated_error',
  about: 'the same error occurred this many times in a row',
  fields: { count: field.count },
  make: (count: number) => ({ count }),
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'both',
  live: true,
  movedBy: ['error-seen'],
  quotes: true,
  judge: ({ count: limit }, { streaks: { sameError, lastError } }) => {
    const last = lastError === undefined ? '' : `: ${quote(lastError.message)}`;
    return reached(sameError, limit, (value) => `the same error ${ofLimit(value, limit, 'time')} in a row${last}`);
  },
  describe: ({ count }) => `when the same error occurs ${plural(count, 'time')} in a row`,
  measure: ({ count }, { streaks }) => measure(streaks.sameError, count, 'times'),
  takesMore: (left) => `the same error ${plural(left, 'more time')}`,
});
