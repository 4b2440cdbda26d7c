import { usd, usdLeft, usdLimit } from '../figures.js';
import type { ConditionDefinition } from './condition-definition.js';
import { defineCondition, need } from './define-condition.js';
import type { Facts } from './facts.js';
import { SPEND_EVENTS, spendAnswer } from './spend-answer.js';

/** A limit on what several runs spend together. */
export function sharedCost<const T extends string>(
  own: { readonly type: T } & Pick<ConditionDefinition<{ readonly type: T }>, 'about' | 'where'>,
  quantity: 'dayCostUsd' | 'batchCostUsd',
  words: {
    readonly of: string;
    /** After a sum. */
    readonly whose: string;
    /** After a limit. */
    readonly over: string;
    readonly problem: (facts: Facts) => string | undefined;
  },
) {
  return defineCondition({
    ...own,
    fields: { usd: need('usd') },
    make: (limitUsd: number) => ({ usd: limitUsd }),
    short: 'usd',
    class: 'limit',
    priority: 80,
    live: true,
    movedBy: SPEND_EVENTS,
    spend: true,
    limit: ({ usd: amount }) => ({ quantity, amount }),
    outcome: 'budget reached',
    judge: ({ usd: limit }, facts) =>
      spendAnswer(
        {
          used: facts[quantity],
          limit,
          problem: words.problem(facts),
          nothing: `the spend of the ${words.of} is not known yet`,
        },
        (value) => `${usd(value)} of ${usdLimit(limit)} ${words.whose}`,
      ),
    describe: (condition) => `after ${usdLimit(condition.usd)} ${words.over}`,
    takesMore: (left, { usd: limit }) => `${usdLeft(left, limit)} more`,
  });
}
