import type { Expectations } from '../expectation.js';

export const tables: Expectations = {
  'corrects-the-prices': {
    calls: [8, 8],
    ends: 'done',
    because: 'the numbers in the table are the work',
    right: [],
  },
  'fills-in-the-values': {
    calls: [7, 7],
    ends: 'done',
    because: 'the numbers in the table are the work',
    right: [],
  },
  'counts-its-visits': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'a number that counts visits is no work',
    right: ['pawl'],
  },
  'dates-a-table': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'a date is no work, also in a table',
    right: ['pawl'],
  },
};

export const copies: Expectations = {
  'copies-of-one-file': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'copies of one file are no work',
    right: [],
  },
  'same-code-in-new-folders': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'the same lines again and again are no work, whatever the folder is called',
    right: [],
  },
  'empty-files-that-mark': {
    calls: [8, 8],
    ends: 'done',
    because: 'each empty file stands for an account that was migrated',
    right: ['pawl'],
  },
  'copies-with-one-change': {
    calls: [8, 8],
    ends: 'done',
    because: 'each page has a line of its own',
    right: ['pawl'],
  },
};
