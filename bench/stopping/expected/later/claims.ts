import type { Expectations } from '../expectation.js';

export const freshGoal: Expectations = {
  'old-done-file-and-idle': {
    calls: [2, 6],
    ends: 'gave up',
    because: 'the file is from an earlier run, and this one has done nothing',
    right: [],
  },
  'old-done-file-six-calls': {
    calls: [6, 6],
    ends: 'done',
    because: 'the file of the earlier run says nothing about this one until the sixth call rewrites it',
    right: [],
  },
  'old-done-file-changed': {
    calls: [3, 3],
    ends: 'done',
    because: 'the file says since the third call that this release is finished',
    right: [],
  },
  'old-done-file-made-again': {
    calls: [4, 4],
    ends: 'done',
    because: 'the file was removed and made again when the work was finished',
    right: [],
  },
};

export const insists: Expectations = {
  'insists-after-one-gain': {
    calls: [2, 4],
    ends: 'gave up',
    because: 'it says done over failing tests again and again and changes nothing',
    right: [],
  },
  'insists-in-other-words': {
    calls: [2, 4],
    ends: 'gave up',
    because: 'it says done over failing tests again and again and changes nothing',
    right: [],
  },
  'claims-too-soon-once': {
    calls: [3, 3],
    ends: 'done',
    because: 'it said done too soon, noticed it and finished the work',
    right: ['pawl'],
  },
  'claims-between-gains': {
    calls: [5, 5],
    ends: 'done',
    because: 'it said done too soon twice, and each time continued with a gain',
    right: ['pawl'],
  },
};
