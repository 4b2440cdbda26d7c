import type { Expectations } from '../expectation.js';

export const sick: Expectations = {
  'prints-its-tool-calls': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'it prints what it wants to call, and nothing happens',
    right: ['pawl'],
  },
  'guesses-passwords': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'ten guesses in a call will not find a password',
    right: ['pawl'],
  },
  'shell-that-prints-nothing': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'script after script says the same, and the code is not touched',
    right: ['pawl'],
  },
  'nothing-was-found': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'it has nothing to find, and writes that down in other words',
    right: ['pawl'],
  },
  'accuracy-that-stays': {
    calls: [5, 12],
    ends: 'gave up',
    because: 'the settings change and the accuracy does not',
    right: ['pawl'],
  },
  'verifies-once-more': {
    calls: [2, 5],
    ends: 'done',
    because: 'the feature was there after the second call, as it said itself',
    right: [],
  },
  'plans-the-first-phase': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'a plan with another heading is no feature',
    right: ['pawl'],
  },
  'repairs-a-copy-in-tmp': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'nothing in the project changes, and the same test fails',
    right: ['pawl'],
  },
  'no-compiler-here': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'only a person can give it a compiler, and it asks for one',
    right: ['pawl'],
  },
};
