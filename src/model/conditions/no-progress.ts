import { ofLimit, plural } from '../figures.js';
import { reached, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';
import { untracked } from '../judging/untracked.js';
import { unitOf } from '../unit.js';

export interface NoProgress {
  readonly type: 'no_progress';
  readonly iterations: number;
}

export const definition = {
  type: 'no_progress',
  // Since version 2 only new content in files that count is progress, and a falling number of failing tests is, too.
  version: 2,
  // The state counts by the version of the run.
  earlier: { 1: {} },
  about: 'this many iterations in a row wrote nothing new and improved no test',
  fields: { iterations: need('count') },
  short: 'iterations',
  class: 'failure',
  priority: 70,
  where: 'loop',
  needsDirectory: true,
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
  needsMore: (left, _condition, facts) => `${plural(left, `more ${unitOf(facts)}`)} without progress`,
  warn: untracked,
  iterationsNeeded: ({ iterations }) => iterations,
} satisfies ConditionDefinition<NoProgress>;

export const noProgress = (iterations: number) => build<NoProgress>(definition, { iterations });
