import { count, plural, unitOf } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';

/**
 * Stops after `count` iterations.
 *
 * @example
 * ```ts
 * import { maxIterations } from 'pawl';
 * const condition = maxIterations(3); // { type: 'max_iterations', count: 3 }
 * ```
 */
export const maxIterations = defineCondition({
  type: 'max_iterations',
  about: 'this many iterations (in a pipeline: attempts) have ended',
  fields: { count: field.count },
  make: (iterations: number) => ({ count: iterations }),
  short: 'count',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  limit: ({ count: amount }) => ({ quantity: 'iterations', amount }),
  flag: { name: 'max-iterations', value: 'N', about: 'stop after this many iterations' },
  zeroIsNone: true,
  outcome: 'iteration limit',
  // In a pipeline an iteration is an attempt.
  judge: ({ count: limit }, facts) =>
    reached(facts.iteration, limit, (value) => `${count(value)} of ${plural(limit, unitOf(facts))}`),
  describe: (condition, unit) => `after ${plural(condition.count, unit)}`,
  takesMore: (left, _condition, facts) => plural(left, `more ${unitOf(facts)}`),
});
