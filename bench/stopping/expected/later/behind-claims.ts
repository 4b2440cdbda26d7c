import type { Expectations } from '../expectation.js';

export const behindClaims: Expectations = {
  'complete-and-what-it-did': {
    calls: [3, 8],
    ends: 'done',
    because: 'the tests pass, it says in each call that the feature is complete, and only a comment changes',
    right: [],
  },
  'complete-and-what-it-consists-of': {
    calls: [3, 8],
    ends: 'done',
    because: 'the tests pass, and it says in each call that all features are there',
    right: [],
  },
  'complete-and-the-next-has-begun': {
    calls: [6, 6],
    ends: 'done',
    because: 'a part is complete, and it says which one it works on',
    right: ['pawl'],
  },
  'complete-but-for-a-list': {
    calls: [6, 6],
    ends: 'done',
    because: 'it says what is open',
    right: ['pawl'],
  },
};
