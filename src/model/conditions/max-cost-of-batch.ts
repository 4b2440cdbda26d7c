import { sharedCost } from '../judging/shared-cost.js';

export interface MaxCostOfBatch {
  readonly type: 'max_cost_of_batch';
  readonly usd: number;
}

export const definition = sharedCost<MaxCostOfBatch>(
  {
    type: 'max_cost_of_batch',
    about: 'all runs of the batch together have spent this many US dollars',
    where: 'fleet',
  },
  'batchCostUsd',
  {
    of: 'batch',
    whose: 'for the batch',
    over: 'over all runs of the batch',
    problem: ({ batchProblem }) => batchProblem,
  },
);
