import type { Expectations } from '../expectation.js';

export const sick: Expectations = {
  'fragt-nach-der-variante': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'it waits for a decision that only the user can make, in whatever language',
    right: [],
  },
  'login-of-the-cloud-expired': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'only the user can log in, and both the command and the agent say so',
    right: ['pawl'],
  },
  'disk-is-full': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'only the user can free space, and the agent asks for it',
    right: ['pawl'],
  },
  'asks-for-the-go-ahead': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'it says that it will not begin before the user has agreed',
    right: ['pawl'],
  },
  'four-retries-in-turn': {
    calls: [5, 9],
    ends: 'gave up',
    because: 'from the fifth call on it only repeats what it has tried',
    right: ['pawl'],
  },
  'three-locks-in-turn': {
    calls: [4, 9],
    ends: 'gave up',
    because: 'from the fourth call on it only repeats what it has tried',
    right: ['pawl'],
  },
  'writes-the-same-file-again': {
    calls: [3, 5],
    ends: 'gave up',
    because: 'nothing changes, and the same test fails',
    right: ['pawl'],
  },
  'comments-pile-up': {
    calls: [3, 7],
    ends: 'gave up',
    because: 'no comment repairs a sign; the same tests fail after each call',
    right: ['pawl'],
  },
  'bumps-the-version': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'a version number is no feature',
    right: [],
  },
  'list-of-things-to-do-grows': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'a list that only grows is no work',
    right: ['pawl'],
  },
  'code-generator-stamps-the-time': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'only a time and a digest change, and the same tests fail',
    right: ['pawl'],
  },
  'percent-in-a-note': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'a number in a note is no progress, and the same tests fail',
    right: ['pawl'],
  },
  'finished-and-silent-about-it': {
    calls: [4, 6],
    ends: 'done',
    because: 'the tests pass, the feature is there, and the agent has nothing more to change',
    right: ['pawl'],
  },
  'finished-and-polishing': {
    calls: [3, 8],
    ends: 'done',
    because: 'the tests pass, the agent says in each call that it is complete, and only a comment changes',
    right: ['pawl'],
  },
  'same-command-fails-again': {
    calls: [3, 5],
    ends: 'gave up',
    because: 'to run the same command again without a change gives the same error',
    right: ['pawl'],
  },
};
