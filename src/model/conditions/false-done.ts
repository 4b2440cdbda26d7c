import { ofLimit, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

/** Stops when the agent insists that it is done and no goal is met. */
export const falseDone = defineCondition({
  type: 'false_done',
  // Since version 2 an iteration whose changes are not known does not add to the count.
  version: 2,
  // The state counts by the version of the run.
  earlier: { 1: {} },
  about: 'the agent said this many times in a row that it is done, changed nothing new, and no goal was met',
  fields: { count: field.count },
  make: (count: number) => ({ count }),
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'loop',
  needsDirectory: true,
  judge: ({ count }, { streaks }) =>
    reached(streaks.doneStreak ?? 0, count, (value) => {
      if (value === 0) return 'the agent has not said that it is done';
      if (value < count) return `the agent said that it is done (${ofLimit(value, count, 'time')} in a row)`;
      return `the agent said ${plural(count, 'time')} in a row that it is done, but it changed nothing new and no goal is met`;
    }),
  describe: ({ count }) =>
    `when the agent says ${plural(count, 'time')} in a row that it is done, and changes nothing new`,
  measure: ({ count }, { streaks }) => measure(streaks.doneStreak ?? 0, count, 'times'),
  takesMore: (left) => `the agent to say ${plural(left, 'more time')} that it is done`,
  iterationsNeeded: ({ count }) => count,
});
