import type { Expectations } from '../expectation.js';

export const healthy: Expectations = {
  'splits-the-order-manager': {
    calls: [10, 10],
    ends: 'done',
    because: 'it says after each call why tests are red, and one more service is out each time',
    right: ['pawl'],
  },
  'models-from-sequelize-to-drizzle': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call moves another model, and says how many are left',
    right: ['pawl'],
  },
  'nightly-suite-of-forty-minutes': {
    calls: [5, 5],
    ends: 'done',
    because: 'the test that fails by chance is not its work, and each call finds a part of the cause',
    right: ['pawl'],
  },
  'sweeps-the-learning-rate': {
    calls: [9, 9],
    ends: 'done',
    because: 'the runs are the work, and the table has one more result after each of them',
    right: ['pawl'],
  },
  'seven-ideas-for-the-model': {
    calls: [8, 8],
    ends: 'done',
    because: 'to try an idea, measure it and take it back is how one experiments; each call tries another one',
    right: [],
  },
  'docstrings-for-seven-modules': {
    calls: [7, 7],
    ends: 'done',
    because: 'the docstrings are the work, and each call writes those of another module',
    right: ['pawl'],
  },
  'flat-config-in-each-workspace': {
    calls: [8, 8],
    ends: 'done',
    because: 'the same file in another workspace is another step of the task',
    right: [],
  },
  'locales-by-the-generator': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call adds a language',
    right: ['pawl'],
  },
  'geocodes-in-batches': {
    calls: [8, 8],
    ends: 'done',
    because: 'the table is the work, and four more of its rows have coordinates after each call',
    right: ['pawl'],
  },
  'red-green-refactor': {
    calls: [11, 11],
    ends: 'done',
    because: 'a test that fails first is what test-first work looks like, and each second call makes it pass',
    right: ['pawl'],
  },
  'bisects-twelve-hundred-commits': {
    calls: [8, 8],
    ends: 'done',
    because: 'each call halves what is left, and a person who reads that would go back to bed',
    right: [],
  },
  'django-three-to-five': {
    calls: [11, 11],
    ends: 'done',
    because: 'each call repairs another error of the upgrade, and a usage limit passes',
    right: ['pawl'],
  },
};
