import type { Expectations } from '../expectation.js';

export const sameErrors: Expectations = {
  'looks-for-a-missing-note': {
    calls: [10, 10],
    ends: 'done',
    because: 'a field is added in each call; that there are no notes is no obstacle',
    right: [],
  },
  'old-findings-of-the-linter': {
    calls: [9, 9],
    ends: 'done',
    because: 'a shape is added in each call; the findings are older than the run',
    right: [],
  },
  'server-that-refuses': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'the same command fails in the same way, and nothing is done about it',
    right: ['pawl'],
  },
  'server-that-refuses-and-a-log': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'the same command fails in the same way, and a line in a log does nothing about it',
    right: ['pawl'],
  },
  'builds-with-the-same-error': {
    calls: [5, 12],
    ends: 'gave up',
    because: 'whatever is written, the build fails as before; eight workarounds are enough',
    right: ['pawl'],
  },
};
