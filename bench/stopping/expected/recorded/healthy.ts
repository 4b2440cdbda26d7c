import type { Expectations } from '../expectation.js';

export const healthy: Expectations = {
  'warrior-that-wins-more': {
    calls: [12, 12],
    ends: 'done',
    because: 'it measures after each change, and wins more and more',
    right: [],
  },
  'model-that-has-to-be-small': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call trains another model and measures it, and they get closer to what is wanted',
    right: ['pawl'],
  },
  'server-set-up-in-the-shell': {
    calls: [7, 7],
    ends: 'done',
    because: 'the server is the work, and one more part of it is in place after each call',
    right: [],
  },
  'reads-the-collector-first': {
    calls: [4, 4],
    ends: 'done',
    because: 'who repairs a garbage collector reads it first, and three calls of that are not many',
    right: ['pawl'],
  },
  'kernel-that-lacks-a-tool': {
    calls: [5, 5],
    ends: 'done',
    because: 'each build gets further than the one before, and what is missing is installed',
    right: ['pawl'],
  },
  'offers-a-commit-each-time': {
    calls: [6, 6],
    ends: 'done',
    because: 'the question is an offer, and one more file is clean after each call',
    right: ['pawl'],
  },
  'fits-the-peak-again': {
    calls: [6, 6],
    ends: 'done',
    because: 'to fit with other limits until the result is stable is the work',
    right: ['pawl'],
  },
  'finds-no-todo': {
    calls: [12, 12],
    ends: 'done',
    because: 'a search that finds nothing is no obstacle, and each call writes another module',
    right: ['pawl'],
  },
};
