import type { Expectations } from '../expectation.js';

export const testsThatWrite: Expectations = {
  'report-is-no-work': {
    calls: [2, 4],
    ends: 'gave up',
    because: 'only the tests wrote something; the agent did nothing and says done again and again',
    right: [],
  },
  'coverage-while-it-reads': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'only the tests wrote something; the agent did nothing',
    right: [],
  },
  'report-beside-real-work': {
    calls: [2, 2],
    ends: 'done',
    because: 'the feature is there after the second call',
    right: ['pawl'],
  },
  'report-beside-notes-first': {
    calls: [2, 2],
    ends: 'done',
    because: 'notes are not the feature, which is there after the second call',
    right: [],
  },
};

export const quiet: Expectations = {
  'reads-in-the-middle': {
    calls: [3, 3],
    ends: 'done',
    because: 'the agent says in the second call what it writes next',
    right: [],
  },
  'tries-and-restores': {
    calls: [3, 3],
    ends: 'done',
    because: 'an experiment that failed is work, although no file differs after it',
    right: [],
  },
  'stops-writing': {
    calls: [3, 4],
    ends: 'done',
    because: 'the tests pass and the agent has nothing more to write',
    right: ['pawl'],
  },
  'reads-its-work-again': {
    calls: [4, 5],
    ends: 'done',
    because: 'the tests pass, the agent approves of its work and has nothing more to write',
    right: ['pawl'],
  },
};

export const greenElsewhere: Expectations = {
  'green-and-fills-a-folder': {
    calls: [6, 6],
    ends: 'done',
    because: 'the user said that this folder counts, and each call adds a file to it',
    right: [],
  },
  'green-and-writes-next-door': {
    calls: [5, 5],
    ends: 'done',
    because: 'each call uses the shared code in another app, as its tools show',
    right: [],
  },
  'the-folder-is-the-work': {
    calls: [3, 3],
    ends: 'done',
    because: 'the user said that this folder counts, and it is filled after the third call',
    right: [],
  },
  'counted-folder-stays-as-it-is': {
    calls: [3, 4],
    ends: 'done',
    because: 'the tests pass and the agent has nothing more to write, there or elsewhere',
    right: ['pawl'],
  },
};
