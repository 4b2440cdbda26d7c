import { count, haltsAt, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';

export const circuitBreaker = defineCondition({
  type: 'circuit_breaker',
  about: 'this many attempts were made in total',
  fields: { attempts: field.count },
  make: (attempts: number) => ({ attempts }),
  short: 'attempts',
  class: 'failure',
  priority: 78,
  where: 'pipeline',
  limit: ({ attempts: amount }) => ({ quantity: 'attempts', amount }),
  flag: { name: 'circuit-breaker', value: 'N', about: 'halt after this many attempts in total' },
  outcome: 'attempt limit',
  judge: ({ attempts: limit }, { pipeline }) =>
    reached(pipeline?.attempts, limit, (value) => {
      if (value < limit) return `${count(value)} of ${plural(limit, 'attempt')}`;
      return `${plural(value, 'attempt')} ${value === 1 ? 'was' : 'were'} made, ${haltsAt(limit)}`;
    }),
  describe: ({ attempts }) => `after ${plural(attempts, 'attempt')} in all`,
  takesMore: (left) => plural(left, 'more attempt'),
});
