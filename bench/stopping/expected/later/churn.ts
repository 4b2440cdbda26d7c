import type { Expectations } from '../expectation.js';

export const churn: Expectations = {
  'writes-the-time': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'a new time in a status file is no work',
    right: [],
  },
  'writes-a-log': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'a log of what it read is no work',
    right: [],
  },
  'moves-white-space': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'the style sheet is the same apart from white space',
    right: [],
  },
  'bumps-a-lock-file': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'it updates the same dependency in every call and never starts with the feature',
    right: [],
  },
  'one-phrase-a-call': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call adds a phrase that was not there before',
    right: ['pawl'],
  },
  'handbook-is-the-work': {
    calls: [8, 8],
    ends: 'done',
    because: 'the text is the task, and each call adds a section',
    right: ['pawl'],
  },
  'notes-with-every-module': {
    calls: [8, 8],
    ends: 'done',
    because: 'the notes come with a new module each time',
    right: ['pawl'],
  },
};

export const cycles: Expectations = {
  'three-caches-in-turn': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'after the second time through the same three versions it is clear that it goes in circles',
    right: [],
  },
  'layout-goes-round': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'after the second time through the same three layouts it is clear that it goes in circles',
    right: [],
  },
  'restores-to-compare': {
    calls: [7, 7],
    ends: 'done',
    because: 'more tests pass after each comparison',
    right: ['pawl'],
  },
  'first-design-wins': {
    calls: [8, 8],
    ends: 'done',
    because: 'each return is the result of a comparison with a new design, and then the work continues',
    right: ['pawl'],
  },
};
