import type { Expectations } from '../expectation.js';

export const numbers: Expectations = {
  'bracket-that-fits': {
    calls: [8, 8],
    ends: 'done',
    because: 'to try a gap and to look at it is the work',
    right: [],
  },
  'pages-of-the-manual': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'a number of pages is no page',
    right: ['pawl'],
  },
};

export const couldYou: Expectations = {
  'card-in-the-reader': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'only a person can connect the reader, and it asks for that',
    right: [],
  },
  'dialog-that-asks-for-space': {
    calls: [6, 6],
    ends: 'done',
    because: 'the words are those of a dialog, and one more is there after each call',
    right: ['pawl'],
  },
  'blocked-by-an-old-rule': {
    calls: [3, 3],
    ends: 'done',
    because: 'it asks for something that can wait, and has found the cause',
    right: ['pawl'],
  },
};
