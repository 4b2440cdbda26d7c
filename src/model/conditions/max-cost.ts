import { usd, usdLeft, usdLimit } from '../figures.js';
import { met } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { SPEND_EVENTS, spendAnswer, withEstimate } from '../judging/spend-answer.js';

/** Stops when the run has cost this much. `model` prices usage that names no model. */
export const maxCost = defineCondition({
  type: 'max_cost',
  about: 'this many US dollars have been spent; `model` prices usage that names no model',
  fields: { usd: field.usd, model: optional(field.text) },
  make: (limitUsd: number, model?: string) => ({ usd: limitUsd, model }),
  short: 'usd',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  live: true,
  needs: ({ model }) => ({ priceOf: model }),
  movedBy: SPEND_EVENTS,
  spend: true,
  limit: ({ usd: amount }) => ({ quantity: 'costUsd', amount }),
  flag: { name: 'max-cost', value: 'USD', about: 'stop at this cost' },
  zeroIsNone: true,
  outcome: 'budget reached',
  judge: ({ usd: limit, model }, facts) => {
    if (facts.stoppedItself === 'budget') return met(`the agent stopped at its own budget, within ${usdLimit(limit)}`);
    const used = facts.spend.costUsd ?? (model === undefined ? undefined : facts.costAtModel?.[model]);
    const spent = { used, limit, problem: facts.spendProblem?.cost, nothing: 'no usage is known' };
    return spendAnswer(spent, (value) => withEstimate(`${usd(value)} of ${usdLimit(limit)}`, facts));
  },
  describe: ({ usd: limit, model }) =>
    `after ${usdLimit(limit)}${model === undefined ? '' : ` at the price of ${model}`}`,
  takesMore: (left, { usd: limit }) => `${usdLeft(left, limit)} more`,
  warnOfAgent: ({ model }, { hasPrice }) =>
    model === undefined || hasPrice(model)
      ? undefined
      : `no price is known for ${model}, so it prices nothing; give it under \`prices\``,
});
