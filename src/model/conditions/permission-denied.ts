import { ofLimit, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

export const permissionDenied = defineCondition({
  type: 'permission_denied',
  about: 'this many denials without an allowed tool call between them',
  fields: { count: field.count },
  make: (count: number) => ({ count }),
  short: 'count',
  class: 'blocked',
  priority: 70,
  where: 'both',
  live: true,
  movedBy: ['permission-denied'],
  judge: ({ count: limit }, { streaks }) =>
    reached(streaks.denials, limit, (value) => `permission denied ${ofLimit(value, limit, 'time')} in a row`),
  describe: ({ count }) => `after ${plural(count, 'denied tool call')} in a row`,
  measure: ({ count }, { streaks }) => measure(streaks.denials, count, 'times'),
  takesMore: (left) => plural(left, 'more denied tool call'),
});
