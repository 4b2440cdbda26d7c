import type { Expectations } from '../expectation.js';

export const elsewhere: Expectations = {
  'fills-an-ignored-folder': {
    calls: [9, 9],
    ends: 'done',
    because: 'the user said that this folder counts, and each call adds a file to it',
    right: [],
  },
  'trains-outside-the-tree': {
    calls: [8, 8],
    ends: 'done',
    because: 'the user said that this folder counts, and the model in it gets better',
    right: [],
  },
  'ignored-folder-stays-empty': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'nothing is written anywhere',
    right: [],
  },
  'same-download-every-time': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'the folder counts, but its content is the same after each call',
    right: [],
  },
};
