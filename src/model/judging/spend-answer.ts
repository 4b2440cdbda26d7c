import { plural, count, usd, usdLeft, usdLimit, unitOf } from '../figures.js';
import { type Answer, reached, spendUnknown, unknown } from './answer.js';
import type { MovingEvent, ConditionDefinition } from './condition-definition.js';
import type { Facts } from './facts.js';
import { field } from '../fields.js';
import { defineCondition } from './define-condition.js';

export const SPEND_EVENTS: readonly MovingEvent[] = [
  'usage-reported',
  'agent-finished',
  'day-spend-seen',
  'batch-spend-seen',
];

interface Spent {
  readonly used: number | undefined;
  readonly limit: number;
  /** Why it is unknown although something may have been spent: the limit cannot be enforced. */
  readonly problem: string | undefined;
  /** Nothing has run and nothing was reported. */
  readonly nothing: string;
}

export function spendAnswer({ used, limit, problem, nothing }: Spent, sentence: (value: number) => string): Answer {
  if (used !== undefined && used >= 0) return reached(used, limit, sentence);
  return problem === undefined ? unknown(nothing) : spendUnknown(problem);
}

/** `~$0.12 of $10.00 (1 iteration estimated)`, where a part of the sum is an estimate. */
export function withEstimate(sentence: string, facts: Facts): string {
  const estimated = facts.estimatedIterations ?? 0;
  return estimated === 0 ? sentence : `~${sentence} (${plural(estimated, unitOf(facts))} estimated)`;
}

/** What the three limits on tokens share. */
export function tokenLimit<const T extends string>(
  own: { readonly type: T } & Pick<ConditionDefinition<{ readonly type: T }>, 'about' | 'flag'>,
  quantity: 'totalTokens' | 'inputTokens' | 'outputTokens',
  noun: string,
) {
  return defineCondition({
    ...own,
    fields: { count: field.count },
    make: (tokens: number) => ({ count: tokens }),
    short: 'count',
    class: 'limit',
    priority: 80,
    where: 'both',
    inAiSdk: true,
    live: true,
    movedBy: SPEND_EVENTS,
    spend: true,
    limit: ({ count: amount }) => ({ quantity, amount }),
    zeroIsNone: true,
    outcome: 'budget reached',
    judge: ({ count: limit }, facts) =>
      spendAnswer(
        { used: facts.spend[quantity], limit, problem: facts.spendProblem?.tokens, nothing: 'no usage is known' },
        (value) => withEstimate(`${count(value)} of ${count(limit)} ${noun}`, facts),
      ),
    describe: (condition) => `after ${count(condition.count)} ${noun}`,
    takesMore: (left) => plural(left, 'more token'),
  });
}

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
    fields: { usd: field.usd },
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
