import { build } from '../judging/build.js';
import { sharedCost } from '../judging/shared-cost.js';

export interface MaxCostPerDay {
  readonly type: 'max_cost_per_day';
  readonly usd: number;
}

export const definition = sharedCost<MaxCostPerDay>(
  {
    type: 'max_cost_per_day',
    about: 'all runs of the user on this machine together have spent this many US dollars today',
    where: 'both',
  },
  'dayCostUsd',
  {
    of: 'day',
    whose: 'today',
    over: 'a day, over all runs on this machine',
    problem: ({ dayProblem }) => dayProblem,
  },
);

/** Over all runs of the user on this machine, by the day. */
export const maxCostPerDay = (usd: number) => build<MaxCostPerDay>(definition, { usd });
