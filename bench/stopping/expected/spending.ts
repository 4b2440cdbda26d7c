import { type Expectations, LOOPS } from './expectation.js';

export const spending: Expectations = {
  'steady-spend': {
    calls: [4, 4],
    ends: 'out of budget',
    because: 'three calls cost $1.53, the fourth one crosses $2',
    right: ['pawl'],
  },
  'spike-in-mid-iteration': {
    calls: [3, 3],
    isWithin: true,
    ends: 'out of budget',
    because: 'the fourth request of the third call crosses $2, and sixteen more are to come',
    right: ['pawl'],
  },
  'spike-in-the-first-call': {
    calls: [1, 1],
    isWithin: true,
    ends: 'out of budget',
    because: 'the second request crosses 50 cents',
    right: ['pawl'],
  },
  'spend-in-failed-calls': {
    calls: [6, 6],
    ends: 'out of budget',
    because: 'calls that fail are paid for as well: the sixth one makes it $2.40',
    right: ['pawl'],
  },
  'dies-without-telling': {
    calls: [4, 4],
    ends: 'out of budget',
    because: 'a call that tells nothing has cost about what the others cost: four of them are $2.08',
    right: ['pawl'],
  },
  'told-at-the-end': {
    calls: [2, 2],
    isWithin: true,
    ends: 'out of budget',
    because: 'the money is gone with the fourth request, told or not',
    right: [],
  },
  'unknown-price': {
    calls: [1, 1],
    ends: 'blocked',
    because: 'with a budget of $2 nobody goes on with a model whose price is not known',
    right: ['pawl'],
  },
  'wrong-price': {
    calls: [2, 2],
    ends: 'out of budget',
    because: 'two calls are billed $2.04',
    right: [],
  },
  'spend-by-subagents': {
    calls: [2, 2],
    isWithin: true,
    ends: 'out of budget',
    because: 'the fourth request of the subagents crosses $2',
    right: ['pawl'],
  },
  'deaf-spender': {
    calls: [2, 2],
    isWithin: true,
    ends: 'out of budget',
    because: 'an agent that spends on although it was asked to end is not given time for it',
    right: [],
  },
  'goal-with-the-last-cent': {
    calls: [3, 3],
    ends: 'done',
    because: 'the tests are green and paid for',
    right: ['pawl', ...LOOPS, 'task runner'],
  },
  'crash-of-the-runner': {
    calls: [4, 4],
    ends: 'out of budget',
    because: 'the budget is for the whole, however often the runner is started: the fourth call crosses it',
    right: ['pawl'],
  },
};
