import { sharedCost } from '../judging/spend-answer.js';

export const maxCostOfBatch = sharedCost(
  {
    type: 'max_cost_of_batch',
    about: 'all runs of the batch together have spent this many US dollars',
    where: 'batch',
  },
  'batchCostUsd',
  {
    of: 'batch',
    whose: 'for the batch',
    over: 'over all runs of the batch',
    problem: ({ batchProblem }) => batchProblem,
  },
);
