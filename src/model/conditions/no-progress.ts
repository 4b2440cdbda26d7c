import { ofLimit, plural } from '../figures.js';
import { reached, unknown } from '../judging/answer.js';
import { defineCondition, need } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';
import { unitOf } from '../unit.js';

export const noProgress = defineCondition({
  type: 'no_progress',
  // Since version 2 only new content in files that count is progress, and a falling number of failing tests is, too.
  version: 2,
  // The state counts by the version of the run.
  earlier: { 1: {} },
  about: 'this many iterations in a row wrote nothing new and improved no test',
  fields: { iterations: need('count') },
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
    const answer = reached(withoutProgress, limit, (value) => {
      const often = `no progress for ${ofLimit(value, limit, unitOf(facts))}`;
      return value < limit ? often : `${often}: nothing new was written, and no test improved`;
    });
    if (answer.isMet || gaps?.progress !== true) return answer;
    return unknown('whether the last iteration made progress is not known: its changes were not observed');
  },
  describe: ({ iterations }, unit) => `after ${plural(iterations, unit)} in a row without progress`,
  measure: ({ iterations }, { streaks }) => measure(streaks.withoutProgress, iterations, 'iterations'),
  takesMore: (left, _condition, facts) => `${plural(left, `more ${unitOf(facts)}`)} without progress`,
  iterationsNeeded: ({ iterations }) => iterations,
});
