import { met, notMet } from '../judging/answer.js';
import { insideOf, stillUnknown } from '../judging/composite.js';
import type { AnyCondition, ConditionDefinition } from '../judging/condition-definition.js';
import { field } from '../fields.js';

export interface Not<Inner> {
  readonly type: 'not';
  readonly condition: Inner;
}

/** @internal */
export const definition = {
  type: 'not',
  about: 'the condition is known not to be met',
  fields: { condition: field.condition },
  short: 'condition',
  class: 'limit',
  neutral: true,
  priority: 10,
  where: 'both',
  judge: ({ condition }, _facts, judgeInner) => {
    const child = judgeInner(condition);
    const children = [child];
    if (child.status === 'unknown') return stillUnknown(children, undefined, { children });
    // What is said of the inside is true either way.
    const { reason } = child;
    return child.status === 'met' ? notMet(reason, undefined, { children }) : met(reason, { children });
  },
  describe: ({ condition }, _unit, describeInner) => `when not (${insideOf(describeInner(condition))})`,
} satisfies ConditionDefinition<Not<AnyCondition>>;
