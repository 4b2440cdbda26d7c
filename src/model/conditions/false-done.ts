import { ofLimit, plural } from '../figures.js';
import { reached } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';

export interface FalseDone {
  readonly type: 'false_done';
  readonly count: number;
}

export const definition = {
  type: 'false_done',
  version: 1,
  about: 'the agent said this many times in a row that it is done, changed nothing new, and no goal was met',
  fields: { count: need('count') },
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'loop',
  needsDirectory: true,
  judge: ({ count }, { streaks }) =>
    reached(streaks.doneRow ?? 0, count, (value) => {
      const said = `said ${ofLimit(value, count, 'time')} in a row that it is done`;
      return value < count ? said : `the agent ${said} and changed nothing new, but no goal is met`;
    }),
  describe: ({ count }) =>
    `when the agent says ${plural(count, 'time')} in a row that it is done, and changes nothing new`,
  measure: ({ count }, { streaks }) => measure(streaks.doneRow ?? 0, count, 'times'),
  needsMore: (left) => `the agent to say ${plural(left, 'more time')} that it is done`,
  iterationsNeeded: ({ count }) => count,
} satisfies ConditionDefinition<FalseDone>;

/** Stops when the agent insists that it is done and no goal is met. */
export const falseDone = (count: number) => build<FalseDone>(definition, { count });
