import type { Expectations } from '../expectation.js';

export const healthy: Expectations = {
  'plateau-before-the-jump': {
    calls: [7, 7],
    ends: 'done',
    because: 'each call writes another of six named parts, and the tests can pass only when they are joined',
    right: [],
  },
  'migrations-and-a-generated-client': {
    calls: [5, 5],
    ends: 'done',
    because: 'each call adds a migration that the task asks for, whatever the generator writes next to it',
    right: ['pawl'],
  },
  'translates-language-by-language': {
    calls: [7, 7],
    ends: 'done',
    because: 'a language is added in each call; the questions are to itself, and the passwords are text of the program',
    right: ['pawl'],
  },
  'tunes-two-numbers': {
    calls: [8, 8],
    ends: 'done',
    because: 'numbers that were not tried before are how one tunes, and the measured time falls',
    right: [],
  },
  'upgrades-one-dependency-at-a-time': {
    calls: [5, 5],
    ends: 'done',
    because: 'an upgrade comes before the code that needs it, and the tests follow',
    right: ['pawl'],
  },
  'formats-before-it-works': {
    calls: [6, 6],
    ends: 'done',
    because: 'two formatted files and a new name are a usual start, and the feature is not there before the sixth call',
    right: ['pawl'],
  },
  'reads-for-two-calls': {
    calls: [5, 5],
    ends: 'done',
    because: 'to read before writing is right, and each of the two calls found something',
    right: ['pawl'],
  },
  'command-line-without-tests': {
    calls: [7, 7],
    ends: 'done',
    because: 'one file grows by one command in each call, and that is the work',
    right: ['pawl'],
  },
  'five-failing-tests-first': {
    calls: [10, 10],
    ends: 'done',
    because: 'the tests are written first on purpose; their failing is the plan',
    right: [],
  },
  'thinks-aloud-at-length': {
    calls: [6, 6],
    ends: 'done',
    because: 'a test more passes after each call, whatever it says on the way',
    right: ['pawl'],
  },
  'six-stages-of-ignored-data': {
    calls: [7, 7],
    ends: 'done',
    because: 'the user named the ignored folder as work, and a stage is added to it in each call',
    right: ['pawl'],
  },
  'renames-in-six-packages': {
    calls: [6, 6],
    ends: 'done',
    because: 'the name is to change everywhere, and each call does it in another package',
    right: ['pawl'],
  },
  'strict-types-file-by-file': {
    calls: [7, 7],
    ends: 'done',
    because: 'nothing builds until the last file, and the number of errors falls in each call',
    right: ['pawl'],
  },
  'builds-a-rate-limiter': {
    calls: [5, 5],
    ends: 'done',
    because: 'the limits are those of the program, not of the agent',
    right: ['pawl'],
  },
  'flaky-in-the-middle': {
    calls: [5, 5],
    ends: 'done',
    because: 'one failure that goes away by itself is no reason for anything',
    right: ['pawl'],
  },
};
