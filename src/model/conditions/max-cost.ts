import { usd, usdLeft, usdLimit } from '../figures.js';
import { met } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, may, need } from '../judging/condition-definition.js';
import { estimateText, SPEND_EVENTS, spendAnswer } from '../judging/spend-answer.js';

export interface MaxCost {
  readonly type: 'max_cost';
  readonly usd: number;
  readonly model?: string | undefined;
}

export const definition = {
  type: 'max_cost',
  version: 1,
  about: 'this many US dollars have been spent; `model` prices usage that names no model',
  fields: { usd: need('usd'), model: may('text') },
  short: 'usd',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  live: true,
  movedBy: SPEND_EVENTS,
  spend: true,
  limit: ({ usd: amount }) => ({ quantity: 'costUsd', amount }),
  flag: '--max-cost',
  zeroIsNone: true,
  outcome: 'budget reached',
  judge: ({ usd: limit, model }, facts) => {
    if (facts.stoppedItself === 'budget') return met(`the agent stopped at its own budget, within ${usdLimit(limit)}`);
    const used = facts.spend.costUsd ?? (model === undefined ? undefined : facts.costAtModel?.[model]);
    const spent = { used, limit, problem: facts.spendProblem?.cost, nothing: 'no usage is known' };
    return spendAnswer(spent, (value) => `${usd(value)} of ${usdLimit(limit)}${estimateText(facts)}`);
  },
  describe: ({ usd: limit, model }) =>
    `after ${usdLimit(limit)}${model === undefined ? '' : ` at the price of ${model}`}`,
  needsMore: (left) => `${usdLeft(left)} more`,
  warnOfAgent: ({ model }, { hasPrice }) =>
    model === undefined || hasPrice(model)
      ? undefined
      : `no price is known for ${model}, so it prices nothing; give it under \`prices\``,
} satisfies ConditionDefinition<MaxCost>;

/** Stops when the run has cost this much. `model` prices usage that names no model. */
export const maxCost = (limitUsd: number, model?: string) => build<MaxCost>(definition, { usd: limitUsd, model });
