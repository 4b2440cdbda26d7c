import { count, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { unitOf } from '../unit.js';

export interface MaxIterations {
  readonly type: 'max_iterations';
  readonly count: number;
}

export const definition = {
  type: 'max_iterations',
  version: 1,
  about: 'this many iterations (in a pipeline: attempts) have ended',
  fields: { count: need('count') },
  short: 'count',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  limit: ({ count: amount }) => ({ quantity: 'iterations', amount }),
  flag: '--max-iterations',
  zeroIsNone: true,
  outcome: 'iteration limit',
  // In a pipeline an iteration is an attempt.
  judge: ({ count: limit }, facts) =>
    reached(facts.iteration, limit, (value) => `${count(value)} of ${plural(limit, unitOf(facts))}`),
  describe: (condition, unit) => `after ${plural(condition.count, unit)}`,
  needsMore: (left, _condition, facts) => plural(left, `more ${unitOf(facts)}`),
} satisfies ConditionDefinition<MaxIterations>;

/**
 * Stops after `count` iterations.
 *
 * @example
 * ```ts
 * import { maxIterations } from 'pawl';
 * const condition = maxIterations(3); // { type: 'max_iterations', count: 3 }
 * ```
 */
export const maxIterations = (iterations: number) => build<MaxIterations>(definition, { count: iterations });
