import { count, haltsAt, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';

export interface ConsecutiveFails {
  readonly type: 'consecutive_fails';
  readonly count: number;
}

export const definition = {
  type: 'consecutive_fails',
  version: 1,
  about: 'this many items in a row were rejected or failed',
  fields: { count: need('count') },
  short: 'count',
  class: 'failure',
  priority: 76,
  where: 'pipeline',
  judge: ({ count: limit }, { pipeline }) =>
    reached(pipeline?.consecutiveFails, limit, (value) => {
      if (value < limit) return `${count(value)} of ${plural(limit, 'item')} in a row rejected or failed`;
      return `${plural(value, 'item')} in a row failed or ${value === 1 ? 'was' : 'were'} rejected, ${haltsAt(limit)}`;
    }),
  describe: (condition) => `after ${plural(condition.count, 'item')} in a row that are rejected or fail`,
  measure: (condition, { pipeline }) => measure(pipeline?.consecutiveFails, condition.count, 'items'),
  needsMore: (left) => plural(left, 'more failed item'),
} satisfies ConditionDefinition<ConsecutiveFails>;

export const consecutiveFails = (items: number) => build<ConsecutiveFails>(definition, { count: items });
