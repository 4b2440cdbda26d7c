import type { Expectations } from '../expectation.js';

export const healthy: Expectations = {
  'storage-in-ten-red-calls': {
    calls: [11, 11],
    ends: 'done',
    because: 'it says from the start that the tests stay red until the layers are joined, and writes one in each call',
    right: [],
  },
  'one-sheet-of-sprites': {
    calls: [8, 8],
    ends: 'done',
    because: 'the image is the work, and it has one more sprite after each call',
    right: [],
  },
  'upgrades-only-the-lock-file': {
    calls: [7, 7],
    ends: 'done',
    because: 'an upgrade of an indirect dependency changes nothing but the lock file, and that is the task',
    right: [],
  },
  'indents-package-by-package': {
    calls: [7, 7],
    ends: 'done',
    because: 'formatting is the task, and each call formats another module',
    right: [],
  },
  'release-notes-are-the-task': {
    calls: [7, 7],
    ends: 'done',
    because: 'notes are the task, and each call adds a version',
    right: [],
  },
  'deletes-what-nobody-uses': {
    calls: [7, 7],
    ends: 'done',
    because: 'deleting is the task, and each call deletes another file',
    right: ['pawl'],
  },
  'moves-images-into-folders': {
    calls: [6, 6],
    ends: 'done',
    because: 'moving is the task, and each call moves another image',
    right: [],
  },
  'gets-worse-before-it-gets-better': {
    calls: [7, 7],
    ends: 'done',
    because: 'a new parser breaks what the old one did, and from the fourth call on more pass each time',
    right: ['pawl'],
  },
  'waits-for-the-pipeline': {
    calls: [6, 6],
    ends: 'done',
    because: 'the pipeline gets on in each call, and the agent says that it waits for it',
    right: ['pawl'],
  },
  'bisects-an-old-fault': {
    calls: [5, 5],
    ends: 'done',
    because: 'each call halves what is left, and the cause is found',
    right: ['pawl'],
  },
  'ports-the-tests-first': {
    calls: [7, 7],
    ends: 'done',
    because: 'new tests fail on purpose, and fewer of them fail after each call',
    right: ['pawl'],
  },
  'one-number-in-each-service': {
    calls: [6, 6],
    ends: 'done',
    because: 'the same number in another service is another step of the task',
    right: [],
  },
  'one-generated-file': {
    calls: [6, 6],
    ends: 'done',
    because: 'the generated client is the task, and it has one more type after each call',
    right: ['pawl'],
  },
  'readme-section-by-section': {
    calls: [6, 6],
    ends: 'done',
    because: 'the README is the task, and it has one more section after each call',
    right: ['pawl'],
  },
  'flaky-in-turn': {
    calls: [4, 4],
    ends: 'done',
    because: 'the test that fails by chance has nothing to do with the work',
    right: ['pawl'],
  },
};
