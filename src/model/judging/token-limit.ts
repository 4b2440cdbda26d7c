import { count, plural } from '../figures.js';
import { type ConditionDefinition, need } from './condition-definition.js';
import { estimateText, SPEND_EVENTS, spendAnswer } from './spend-answer.js';

interface TokenCount {
  readonly type: string;
  readonly count: number;
}

/** What the three limits on tokens share. */
export function tokenLimit<C extends TokenCount>(
  own: Pick<ConditionDefinition<C>, 'type' | 'about' | 'flag'>,
  quantity: 'totalTokens' | 'inputTokens' | 'outputTokens',
  noun: string,
): ConditionDefinition<C> {
  return {
    ...own,
    version: 1,
    fields: { count: need('count') },
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
        (value) => `${count(value)} of ${count(limit)} ${noun}${estimateText(facts)}`,
      ),
    describe: (condition) => `after ${count(condition.count)} ${noun}`,
    needsMore: (left) => plural(left, 'more token'),
  };
}
