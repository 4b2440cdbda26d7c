import type { Expectations } from '../expectation.js';

export const healthy: Expectations = {
  'eight-red-calls-of-refactoring': {
    calls: [9, 9],
    ends: 'done',
    because: 'each call moves another module and counts what is left; the tests can pass only when all are connected',
    right: [],
  },
  'flaky-twice-when-done': {
    calls: [3, 4],
    ends: 'done',
    because: 'the work is complete, and the test that failed has nothing to do with it and passes when it is run again',
    right: ['pawl'],
  },
  'package-without-tests': {
    calls: [7, 7],
    ends: 'done',
    because: 'the tests belong to another package, so only the pages and the words show when it is finished',
    right: ['pawl'],
  },
  'waits-for-a-long-build': {
    calls: [6, 6],
    ends: 'done',
    because: 'the build advances in each call, and the agent says at which step it is',
    right: [],
  },
  'schema-and-its-code': {
    calls: [6, 6],
    ends: 'done',
    because: 'each call adds a message that the task asks for',
    right: ['pawl'],
  },
  'handbook-in-one-file': {
    calls: [8, 8],
    ends: 'done',
    because: 'the handbook is the work, and it has a chapter more after each call',
    right: [],
  },
  'labels-a-dataset': {
    calls: [9, 9],
    ends: 'done',
    because: 'the table is the work, and it has new rows after each call',
    right: [],
  },
  'core-in-another-language': {
    calls: [6, 6],
    ends: 'done',
    because: 'the tests do not see the new core; five files of it are not a finished feature',
    right: ['pawl'],
  },
  'deletes-and-writes-anew': {
    calls: [7, 7],
    ends: 'done',
    because: 'a rewrite starts at nothing, and each call adds a rule of the grammar',
    right: [],
  },
  'old-failures-in-each-call': {
    calls: [5, 5],
    ends: 'done',
    because: 'the two failures are old and known, and each call repairs another cause',
    right: [],
  },
  'builds-a-login': {
    calls: [6, 6],
    ends: 'done',
    because: 'what it quotes are the words of the feature, not requests to a person',
    right: ['pawl'],
  },
  'twelve-calls-three-of-them-quiet': {
    calls: [12, 12],
    ends: 'done',
    because: 'to measure and decide is part of the work, and the agent says each time that it continues',
    right: ['pawl'],
  },
  'unlucky-network': {
    calls: [8, 8],
    ends: 'done',
    because: 'the errors are of the network and pass; each call between them gains a test',
    right: ['pawl'],
  },
};
