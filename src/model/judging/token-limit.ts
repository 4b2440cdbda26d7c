import { count, plural } from '../figures.js';
import type { ConditionDefinition } from './condition-definition.js';
import { defineCondition, need } from './define-condition.js';
import { withEstimate, SPEND_EVENTS, spendAnswer } from './spend-answer.js';

/** What the three limits on tokens share. */
export function tokenLimit<const T extends string>(
  own: { readonly type: T } & Pick<ConditionDefinition<{ readonly type: T }>, 'about' | 'flag'>,
  quantity: 'totalTokens' | 'inputTokens' | 'outputTokens',
  noun: string,
) {
  return defineCondition({
    ...own,
    fields: { count: need('count') },
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
