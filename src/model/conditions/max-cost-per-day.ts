import { sharedCost } from '../judging/spend-answer.js';

/** Over all runs of the user on this machine, by the day. */
export const maxCostPerDay = sharedCost(
  {
    type: 'max_cost_per_day',
    about: 'all runs of this user on this machine have together spent this many US dollars today',
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
