import { ofLimit, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';

export interface PermissionDenied {
  readonly type: 'permission_denied';
  readonly count: number;
}

export const definition = {
  type: 'permission_denied',
  version: 1,
  about: 'this many denials without an allowed tool call between them',
  fields: { count: need('count') },
  short: 'count',
  class: 'blocked',
  priority: 70,
  where: 'both',
  live: true,
  movedBy: ['permission-denied'],
  judge: ({ count: limit }, { streaks }) =>
    reached(streaks.denials, limit, (value) => `permission denied ${ofLimit(value, limit, 'time')} in a row`),
  describe: ({ count }) => `after ${plural(count, 'denial')} in a row`,
  measure: ({ count }, { streaks }) => measure(streaks.denials, count, 'times'),
  needsMore: (left) => plural(left, 'more denial'),
} satisfies ConditionDefinition<PermissionDenied>;

export const permissionDenied = (count: number) => build<PermissionDenied>(definition, { count });
