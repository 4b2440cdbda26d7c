import { conditionKey } from '../condition-key.js';
import { count, plural, unitOf } from '../figures.js';
import { type Hold, type InnerResult, met, notMet, unknown } from '../judging/answer.js';
import { grouped, insideOf, stillUnknown } from '../judging/composite.js';
import type { AnyCondition, ConditionDefinition } from '../judging/condition-definition.js';
import { field } from '../fields.js';

export interface For<Inner> {
  readonly type: 'for';
  readonly iterations: number;
  readonly condition: Inner;
}

/** @internal */
export const definition = {
  type: 'for',
  about: 'the condition was met in this many iterations in a row',
  fields: { iterations: field.count, condition: field.condition },
  class: 'limit',
  neutral: true,
  priority: 20,
  where: 'both',
  // How long the inside has held, this iteration included.
  judge: (condition, facts, judgeInner) => {
    const child = judgeInner(condition.condition);
    const children = [child];
    const unit = unitOf(facts);
    if (facts.iteration === undefined) {
      return unknown(`the ${unit} is not known`, undefined, { children, spendUnknown: child.spendUnknown });
    }
    const hold = holdAfter(facts.holds?.[conditionKey(condition)], child, facts.iteration);
    const inside = { children, hold };
    const { iterations: limit } = condition;
    const sentence = `held ${count(hold.iterations)} of ${plural(limit, unit)}: ${child.reason}`;
    const progress = hold.iterations / limit;
    if (hold.iterations >= limit) return met(sentence, inside);
    if (child.status === 'unknown') return stillUnknown(children, progress, inside);
    return notMet(sentence, progress, inside);
  },
  describe: ({ iterations, condition }, unit, describeInner) =>
    `when ${grouped(condition, insideOf(describeInner(condition)))} for ${plural(iterations, unit)} in a row`,
  iterationsNeeded: ({ iterations }) => iterations,
} satisfies ConditionDefinition<For<AnyCondition>>;

/** An iteration is counted once, however often it is judged. */
function holdAfter(before: Hold | undefined, child: InnerResult, iteration: number): Hold {
  if (iteration === 0) return { iterations: 0, upTo: 0 };
  if (before?.upTo === iteration) return before;
  const held = before?.iterations ?? 0;
  if (child.status === 'unknown') return { iterations: held, upTo: iteration };
  return { iterations: child.status === 'met' ? held + 1 : 0, upTo: iteration };
}
