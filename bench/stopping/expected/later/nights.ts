import type { Expectations } from '../expectation.js';

export const handsOver: Expectations = {
  'leaves-it-to-the-team': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'it leaves the task to a person each time, and does nothing else',
    right: [],
  },
  'certificate-has-run-out': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'only the user can renew the certificate, and the agent says so',
    right: [],
  },
  'recommends-a-review-of-each-table': {
    calls: [6, 6],
    ends: 'done',
    because: 'to recommend a review is politeness, and each call migrates another table',
    right: ['pawl'],
  },
  'builds-an-approval': {
    calls: [6, 6],
    ends: 'done',
    because: 'who takes over is what the feature is about',
    right: ['pawl'],
  },
};

export const rewrites: Expectations = {
  'another-slogan': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'a page of prices was asked for, and there is one slogan after the other',
    right: [],
  },
  'another-palette': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'three colours get other values again and again, and nothing is dark',
    right: [],
  },
  'rewrites-and-grows': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call adds a step; that the last line changes with it is natural',
    right: ['pawl'],
  },
  'tunes-the-size-of-batches': {
    calls: [8, 8],
    ends: 'done',
    because: 'to try seven values and measure them is how one finds the best',
    right: ['pawl'],
  },
};

export const brokenOnPurpose: Expectations = {
  'new-router-in-nine-red-calls': {
    calls: [10, 10],
    ends: 'done',
    because: 'the tests passed before it began, and can pass again only when all routes are moved',
    right: [],
  },
  'without-the-old-mapper': {
    calls: [9, 9],
    ends: 'done',
    because: 'the tests passed before it began, and it says what comes last',
    right: [],
  },
  'breaks-it-and-wraps-it': {
    calls: [4, 10],
    ends: 'gave up',
    because: 'wrapper after wrapper repairs nothing, and ten are more than enough',
    right: ['pawl'],
  },
  'breaks-it-and-rewrites-it': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'the same two versions take turns, and neither passes',
    right: ['pawl'],
  },
};

export const claimsOverRed: Expectations = {
  'fixed-this-time': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'it said for the fifth time that it is done, and the same two tests fail',
    right: [],
  },
  'done-with-another-release-note': {
    calls: [3, 7],
    ends: 'gave up',
    because: 'a release note repairs no test, however often it says that it is done',
    right: [],
  },
  'says-done-and-repairs-one-more': {
    calls: [6, 6],
    ends: 'done',
    because: 'each call makes another test pass, whatever it says',
    right: ['pawl'],
  },
  'overconfident-four-times': {
    calls: [5, 5],
    ends: 'done',
    because: 'four wrong guesses are not many for a hidden cause',
    right: ['pawl'],
  },
};
