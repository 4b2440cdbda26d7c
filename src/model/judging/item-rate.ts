import { percent, plural } from '../figures.js';
import { endedItems, type PipelineRates, ratesOf } from '../pipeline-counts.js';
import { met, notMet, unknown } from './answer.js';
import type { ConditionDefinition } from './condition-definition.js';
import { field, optional } from '../fields.js';
import { defineCondition } from './define-condition.js';
import { measure } from './measure.js';

/** Rates count items with a final status; exactly the maximum does not halt, anything above does. A halt is said in Story 4.4's words. */
export function itemRate<const T extends string>(
  own: { readonly type: T } & Pick<ConditionDefinition<{ readonly type: T }>, 'priority' | 'about'>,
  rate: keyof PipelineRates,
  { name, verb }: { name: string; verb: string },
) {
  return defineCondition({
    ...own,
    fields: { max: field.rate, min_items: optional(field.count) },
    make: (max: number, options: { minItems?: number } = {}) => ({ max, min_items: options.minItems }),
    short: 'max',
    class: 'failure',
    where: 'pipeline',
    judge: ({ max, min_items: least = 1 }, { pipeline }) => {
      if (pipeline === undefined) return unknown('this is not a pipeline');
      const ended = endedItems(pipeline);
      const value = ratesOf(pipeline)[rate];
      if (!Number.isFinite(value)) return unknown('the items were not counted');
      const sentence = `${name} ${percent(value)} of ${plural(ended, 'item')}, ${percent(max)} allowed`;
      if (ended < least) return notMet(`${sentence}, judged from ${plural(least, 'item')} on`, 0);
      // What an operator has seen and resumed from halts the run again only when it gets worse.
      const accepted = pipeline.accepted?.[rate] ?? 0;
      if (value > Math.max(max, accepted)) {
        const subject = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
        return met(`${subject} ${percent(value)} exceeds ${percent(max)} threshold`);
      }
      if (value > max) return notMet(`${sentence}, ${percent(accepted)} accepted by a resume`, 1);
      return notMet(sentence, max === 0 ? 0 : value / max);
    },
    describe: ({ max, min_items: least = 1 }) =>
      `when more than ${percent(max)} of the items ${verb}${least <= 1 ? '' : `, from ${plural(least, 'item')} on`}`,
    measure: ({ max }, { pipeline }) => measure(pipeline && ratesOf(pipeline)[rate], max, 'part'),
    takes: ({ max }) => `a rate above ${percent(max)}`,
  });
}
