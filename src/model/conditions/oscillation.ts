import { ofLimit, plural } from '../figures.js';
import { reached, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

/** Stops when the tree has returned to an earlier state `count` times. */
export const oscillation = defineCondition({
  type: 'oscillation',
  // Since version 2 returns count from the last gain of the tests, or the last new content.
  version: 2,
  // The state counts by the version of the run.
  earlier: { 1: {} },
  about: 'the working tree returned to an earlier state this many times, with nothing gained in between',
  fields: { count: field.count },
  make: (count: number) => ({ count }),
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'loop',
  needsDirectory: true,
  needs: () => ({ files: true }),
  judge: ({ count: limit }, { streaks }) => {
    const answer = reached(streaks.oscillations, limit, (value) => {
      const returned = `returned to an earlier state ${ofLimit(value, limit, 'time')}`;
      return value < limit ? returned : `the agent keeps undoing its own work (${returned})`;
    });
    if (answer.isMet || streaks.unknown?.tree !== true) return answer;
    return unknown('whether the last iteration returned to an earlier state is not known');
  },
  describe: ({ count }) =>
    `when the files have returned to an earlier state ${plural(count, 'time')} with nothing gained`,
  measure: ({ count }, { streaks }) => measure(streaks.oscillations, count, 'times'),
  takesMore: (left) => `${plural(left, 'more return')} to an earlier state`,
  iterationsNeeded: ({ count }) => count,
});
