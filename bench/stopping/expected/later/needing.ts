import type { Expectations } from '../expectation.js';

export const statusForms: Expectations = {
  'needs-and-done': {
    calls: [1, 2],
    ends: 'blocked',
    because: 'it says what only a person can give; that it also says done does not take this back',
    right: [],
  },
  'needs-then-thanks': {
    calls: [1, 2],
    ends: 'blocked',
    because: 'it says what only a person can give, and thanks for it',
    right: [],
  },
  'done-with-a-remark': {
    calls: [2, 2],
    ends: 'done',
    because: 'it says done in the agreed words and adds why',
    right: [],
  },
  'quotes-an-old-need': {
    calls: [3, 3],
    ends: 'done',
    because: 'the line is quoted, and the sentence after it says that nothing is missing',
    right: ['pawl'],
  },
  'documents-the-line': {
    calls: [2, 2],
    ends: 'done',
    because: 'the line is an example in a page',
    right: ['pawl'],
  },
};

export const asksAndWrites: Expectations = {
  'asks-and-adds-a-remark': {
    calls: [2, 6],
    ends: 'blocked',
    because: 'only a person can decide, and remarks about that are no work',
    right: [],
  },
  'asks-and-drafts': {
    calls: [2, 6],
    ends: 'blocked',
    because: 'only a person has the contract, and the drafts do not replace it',
    right: [],
  },
  'asks-while-it-repairs': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call repairs a test, whatever it asks',
    right: ['pawl'],
  },
  'asks-three-times-then-decides': {
    calls: [5, 5],
    ends: 'done',
    because: 'it asked, prepared what it could, got no answer and found a way',
    right: ['pawl'],
  },
};
