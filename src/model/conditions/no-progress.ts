import { ofLimit, plural, weighted, unitOf } from '../figures.js';
import { reached, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { measure } from '../judging/measure.js';

export const noProgress = defineCondition({
  type: 'no_progress',
  // Since version 2 only new content in files that count is progress, and a falling number of failing tests is, too.
  // Since version 3 it is none to put other lines in place of those that the run itself has written. That, and to measure another
  // result, adds less than 1.
  version: 3,
  // The state counts by the version of the run.
  earlier: { 1: {}, 2: {} },
  about: 'this many iterations in a row wrote nothing new and improved no test',
  fields: { iterations: field.count },
  make: (iterations: number) => ({ iterations }),
  short: 'iterations',
  class: 'failure',
  priority: 70,
  where: 'loop',
  streak: true,
  needsDirectory: true,
  needs: () => ({ files: true }),
  judge: ({ iterations: limit }, facts) => {
    const { withoutProgress, unknown: gaps } = facts.streaks;
    const answer = reached(weightOf(facts), limit, (value) => {
      const often = withoutProgress ?? value;
      const isWeighted = often > value;
      const times = isWeighted
        ? weighted(
            often,
            value,
            limit,
            unitOf(facts),
            'those that rewrote lines of this run or measured another result count less',
          )
        : ofLimit(value, limit, unitOf(facts));
      if (value < limit) return `no progress for ${times}`;
      const why = isWeighted ? 'the agent only rewrote its own lines or measured again' : 'nothing new was written';
      return `no progress for ${times}: ${why}, and no test improved`;
    });
    if (answer.isMet || gaps?.progress !== true) return answer;
    return unknown('whether the last iteration made progress is not known: its changes were not observed');
  },
  describe: ({ iterations }, unit) => `after ${plural(iterations, unit)} in a row without progress`,
  measure: ({ iterations }, facts) => measure(weightOf(facts), iterations, 'iterations'),
  takesMore: (left, _condition, facts) => `${plural(Math.ceil(left), `more ${unitOf(facts)}`)} without progress`,
  iterationsNeeded: ({ iterations }) => iterations,
});

function weightOf({ streaks }: Facts): number | undefined {
  return streaks.idleWeight ?? streaks.withoutProgress;
}
