import { met, notMet, unknown } from '../judging/answer.js';
import { grouped, sentences, stillUnknown } from '../judging/composite.js';
import type { AnyCondition, ConditionDefinition } from '../judging/condition-definition.js';
import { field } from '../fields.js';

export interface Any<Inner> {
  readonly type: 'any';
  readonly conditions: readonly Inner[];
}

/** @internal */
export const definition = {
  type: 'any',
  about: 'at least one of the conditions is met',
  fields: { conditions: field.conditions },
  short: 'conditions',
  class: 'limit',
  neutral: true,
  priority: 20,
  where: 'both',
  // Met when one is; unknown when none is and one may be.
  judge: ({ conditions }, _facts, judgeInner) => {
    if (conditions.length === 0) return unknown('no conditions');
    const children = conditions.map(judgeInner);
    const found = children.filter((child) => child.status === 'met');
    if (found.length > 0) return met(sentences(found, ' and '), { children });
    const known = children.map((child) => child.progress).filter((progress) => progress !== undefined);
    const progress = known.length === 0 ? undefined : Math.max(...known);
    const open = children.filter((child) => child.status === 'unknown');
    if (open.length > 0) return stillUnknown(open, progress, { children });
    return notMet(sentences(children, ', '), progress, { children });
  },
  describe: ({ conditions }, _unit, describeInner) =>
    conditions.map((inner) => grouped(inner, describeInner(inner))).join(' or '),
} satisfies ConditionDefinition<Any<AnyCondition>>;
