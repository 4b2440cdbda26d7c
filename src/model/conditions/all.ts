import { met, notMet, unknown } from '../judging/answer.js';
import { grouped, insideOf, sentences, stillUnknown } from '../judging/composite.js';
import type { AnyCondition, ConditionDefinition } from '../judging/condition-definition.js';
import { field } from '../fields.js';

export interface All<Inner> {
  readonly type: 'all';
  readonly conditions: readonly Inner[];
}

/** @internal */
export const definition = {
  type: 'all',
  about: 'all of the conditions are met',
  fields: { conditions: field.conditions },
  short: 'conditions',
  class: 'limit',
  neutral: true,
  priority: 20,
  where: 'both',
  // Met when all are; not met when one is known not to be, whatever is unknown.
  judge: ({ conditions }, _facts, judgeInner) => {
    if (conditions.length === 0) return unknown('no conditions');
    const children = conditions.map(judgeInner);
    const missing = children.filter((child) => child.status !== 'met');
    if (missing.length === 0) return met(sentences(children, ' and '), { children });
    const progress = children.reduce((sum, child) => sum + (child.progress ?? 0), 0) / children.length;
    const refuted = missing.filter((child) => child.status === 'not-met');
    // What is not known is the news where the rest goes without saying.
    const said = refuted.every(({ isImplied }) => isImplied === true) ? missing : refuted;
    if (refuted.length > 0) return notMet(sentences(said, ' and '), progress, { children });
    return stillUnknown(missing, progress, { children });
  },
  // "when a and when b" reads like two conditions, each enough by itself.
  describe: ({ conditions }, _unit, describeInner) =>
    conditions
      .map((inner, index) => {
        const text = grouped(inner, describeInner(inner));
        return index === 0 ? text : insideOf(text);
      })
      .join(' and '),
} satisfies ConditionDefinition<All<AnyCondition>>;
