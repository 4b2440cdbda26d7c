import { count, haltsAt, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';

export interface CircuitBreaker {
  readonly type: 'circuit_breaker';
  readonly attempts: number;
}

export const definition = {
  type: 'circuit_breaker',
  version: 1,
  about: 'this many attempts were made in all',
  fields: { attempts: need('count') },
  short: 'attempts',
  class: 'failure',
  priority: 78,
  where: 'pipeline',
  limit: ({ attempts: amount }) => ({ quantity: 'attempts', amount }),
  flag: '--circuit-breaker',
  outcome: 'attempt limit',
  judge: ({ attempts: limit }, { pipeline }) =>
    reached(pipeline?.attempts, limit, (value) => {
      if (value < limit) return `${count(value)} of ${plural(limit, 'attempt')}`;
      return `${plural(value, 'attempt')} ${value === 1 ? 'was' : 'were'} made, ${haltsAt(limit)}`;
    }),
  describe: ({ attempts }) => `after ${plural(attempts, 'attempt')} in all`,
  needsMore: (left) => plural(left, 'more attempt'),
} satisfies ConditionDefinition<CircuitBreaker>;

export const circuitBreaker = (attempts: number) => build<CircuitBreaker>(definition, { attempts });
