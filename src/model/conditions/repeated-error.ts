import { ofLimit, plural, quote } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';

export interface RepeatedError {
  readonly type: 'repeated_error';
  readonly count: number;
}

export const definition = {
  type: 'repeated_error',
  version: 1,
  about: 'the same error this many times in a row',
  fields: { count: need('count') },
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'both',
  live: true,
  movedBy: ['error-seen'],
  quotes: true,
  judge: ({ count: limit }, { streaks: { sameError, lastError } }) => {
    const last = lastError === undefined ? '' : `: ${quote(lastError.message)}`;
    return reached(sameError, limit, (value) => `the same error ${ofLimit(value, limit, 'time')} in a row${last}`);
  },
  describe: ({ count }) => `when the same error occurs ${plural(count, 'time')} in a row`,
  measure: ({ count }, { streaks }) => measure(streaks.sameError, count, 'times'),
  needsMore: (left) => `the same error ${plural(left, 'more time')}`,
} satisfies ConditionDefinition<RepeatedError>;

export const repeatedError = (count: number) => build<RepeatedError>(definition, { count });
