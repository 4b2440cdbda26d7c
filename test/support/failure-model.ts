import type { FailureModel } from '../../src/model/failure-model.js';

/** As likely to fail as not after 20 tool calls; more likely with each that is repeated. */
export const FAILURE_MODEL: FailureModel = {
  version: 1,
  bias: 0,
  features: {
    calls_against_median: { weight: 1, mean: 0, deviation: 1 },
    repeated_calls: { weight: 2, mean: 0, deviation: 0.1 },
  },
  medians: { calls: 20, costUsd: 0.5 },
  trained: { runs: 300, goals: 120 },
};
