import type { Expectations } from '../expectation.js';

export const toolOutcomes: Expectations = {
  'generator-fails-the-same': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'the same command fails with the same error each time, and nothing is done about it',
    right: [],
  },
  'import-fails-the-same': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'the import fails at the same row each time, and nothing is done about it',
    right: [],
  },
  'program-that-is-missing': {
    calls: [2, 6],
    ends: 'blocked',
    because: 'a person has to install the program',
    right: [],
  },
  'account-that-is-missing': {
    calls: [2, 6],
    ends: 'blocked',
    because: 'a person has to sign in',
    right: [],
  },
  'benchmark-that-moves': {
    calls: [8, 8],
    ends: 'done',
    because: 'the same command shows a better result each time',
    right: ['pawl'],
  },
  'same-error-while-porting': {
    calls: [7, 7],
    ends: 'done',
    because: 'the error stays because one file is left, and each call ports another one',
    right: ['pawl'],
  },
};

export const secondRun: Expectations = {
  'old-test-red-by-chance': {
    calls: [2, 2],
    ends: 'done',
    because: 'the work is finished, and a second run of the test shows that the failure was chance',
    right: [],
  },
  'last-test-red-by-chance': {
    calls: [3, 3],
    ends: 'done',
    because: 'the work is finished, and a second run of the test shows that the failure was chance',
    right: [],
  },
  'old-test-broken-for-real': {
    calls: [4, 4],
    ends: 'done',
    because: 'the test fails however often it is run, until the fourth call repairs it',
    right: ['pawl'],
  },
  'last-test-takes-three-calls': {
    calls: [4, 4],
    ends: 'done',
    because: 'the test fails however often it is run, and each call adds what it needs',
    right: ['pawl'],
  },
};

export const trend: Expectations = {
  'climbs-back-after-a-rewrite': {
    calls: [8, 8],
    ends: 'done',
    because: 'after the rewrite fewer tests fail in each call',
    right: [],
  },
  'climbs-a-second-time': {
    calls: [8, 8],
    ends: 'done',
    because: 'after the change of the storage fewer tests fail in each call',
    right: [],
  },
  'tweaks-a-number': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'the same tests fail whatever the number is',
    right: ['pawl'],
  },
  'one-up-one-down': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'what one call repairs the next one breaks, and nothing is gained',
    right: ['pawl'],
  },
};
