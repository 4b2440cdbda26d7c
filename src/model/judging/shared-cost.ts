import { usd, usdLeft, usdLimit } from '../figures.js';
import { type ConditionDefinition, need } from './condition-definition.js';
import type { Facts } from './facts.js';
import { SPEND_EVENTS, spendAnswer } from './spend-answer.js';

interface CostLimit {
  readonly type: string;
  readonly usd: number;
}

/** A limit on what several runs spend together. */
export function sharedCost<C extends CostLimit>(
  own: Pick<ConditionDefinition<C>, 'type' | 'about' | 'where'>,
  quantity: 'dayCostUsd' | 'batchCostUsd',
  words: {
    readonly of: string;
    /** After a sum. */
    readonly whose: string;
    /** After a limit. */
    readonly over: string;
    readonly problem: (facts: Facts) => string | undefined;
  },
): ConditionDefinition<C> {
  return {
    ...own,
    version: 1,
    fields: { usd: need('usd') },
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
    needsMore: (left) => `${usdLeft(left)} more`,
  };
}
