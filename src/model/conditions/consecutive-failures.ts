import { ofLimit, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';
import { unitOf } from '../unit.js';

export interface ConsecutiveFailures {
  readonly type: 'consecutive_failures';
  readonly count: number;
}

export const definition = {
  type: 'consecutive_failures',
  version: 1,
  about: 'this many iterations in a row failed or timed out',
  fields: { count: need('count') },
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'both',
  judge: ({ count: limit }, facts) =>
    reached(facts.streaks.failures, limit, (value) => `${ofLimit(value, limit, unitOf(facts))} in a row failed`),
  describe: ({ count }, unit) => `after ${plural(count, `failed ${unit}`)} in a row`,
  measure: ({ count }, { streaks }) => measure(streaks.failures, count, 'iterations'),
  needsMore: (left, _condition, facts) => plural(left, `more failed ${unitOf(facts)}`),
  iterationsNeeded: ({ count }) => count,
} satisfies ConditionDefinition<ConsecutiveFailures>;

export const consecutiveFailures = (count: number) => build<ConsecutiveFailures>(definition, { count });
