import { ofLimit, plural, quote, weighted } from '../figures.js';
import { reached } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { measure } from '../judging/measure.js';

/** Stops when the agent runs into the same failing tool call again and again. */
export const sameToolFailure = defineCondition({
  type: 'same_tool_failure',
  // Since version 2 an iteration that wrote something new counts half, and not at all where the tests pass.
  version: 2,
  // The state counts by the version of the run.
  earlier: { 1: {} },
  about: 'the same call of a tool failed in the same way in this many iterations in a row, and no test improved',
  fields: { count: field.count },
  make: (count: number) => ({ count }),
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'loop',
  needsDirectory: true,
  quotes: true,
  judge: ({ count }, facts) => {
    const { count: often, weight, text } = mostRepeated(facts) ?? { count: 0, weight: 0, text: '' };
    return reached(weight, count, () => {
      if (often === 0) return 'no tool call failed';
      const times =
        weight < often ? weighted(often, weight, count, 'iteration') : `${ofLimit(often, count, 'iteration')} in a row`;
      return `a tool call failed in the same way in ${times}: ${quote(text)}`;
    });
  },
  describe: ({ count }) =>
    `when the same tool call fails in the same way in ${plural(count, 'iteration')} in a row (${count * 2} while something new is written)`,
  measure: ({ count }, facts) => measure(mostRepeated(facts)?.weight ?? 0, count, 'iterations'),
  takesMore: (left) => `the same tool call to fail in ${plural(Math.ceil(left), 'more iteration')}`,
  iterationsNeeded: ({ count }) => count,
});

function mostRepeated({ streaks }: Facts) {
  return Object.values(streaks.toolFailures ?? {}).toSorted((a, b) => b.weight - a.weight)[0];
}
