import type { Expectations } from '../expectation.js';

export const patience: Expectations = {
  'seven-layers-before-a-test': {
    calls: [8, 8],
    ends: 'done',
    because: 'every call adds a module that is needed, and no test can pass before they are connected',
    right: [],
  },
  'refactor-that-does-not-build': {
    calls: [7, 7],
    ends: 'done',
    because: 'the code grows and each compile error is another one',
    right: ['pawl'],
  },
  'experiments-restored': {
    calls: [7, 7],
    ends: 'done',
    because: 'each experiment is a different one with a different result, and restoring a failed one is right',
    right: [],
  },
  'snapshots-follow-the-code': {
    calls: [8, 8],
    ends: 'done',
    because: 'the lock file changes with real code each time',
    right: ['pawl'],
  },
  'nine-tests-first': {
    calls: [10, 10],
    ends: 'done',
    because: 'new tests fail because they come first, and each call makes one of them pass',
    right: ['pawl'],
  },
  'questions-without-a-request': {
    calls: [7, 7],
    ends: 'done',
    because: 'none of the questions waits for an answer, and the work continues',
    right: ['pawl'],
  },
};
