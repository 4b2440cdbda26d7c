import type { Expectations } from '../expectation.js';

export const sick: Expectations = {
  'same-build-error-again': {
    calls: [3, 5],
    ends: 'gave up',
    because: 'to run the same command again without a change gives the same error',
    right: ['pawl'],
  },
  'formats-again-and-again': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'indentation makes no test pass',
    right: ['pawl'],
  },
  'sorts-imports': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'the same lines in another order are no work on the task',
    right: [],
  },
  'a-report-in-each-call': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'after five reports and no line of code a sixth report will not help',
    right: [],
  },
  'password-refused': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'only a person has the password, and the agent says that nothing works without it',
    right: ['pawl'],
  },
  'asks-in-german': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'it asks for a token, in whatever language',
    right: [],
  },
  'which-of-the-two': {
    calls: [1, 3],
    ends: 'blocked',
    because: 'it asks a question that only a person can answer, and waits for the answer',
    right: ['pawl'],
  },
  'drops-the-failing-tests': {
    calls: [2, 4],
    ends: 'gave up',
    because: 'the tests were to pass, not to go; it insists, and will not do more',
    right: ['pawl'],
  },
  'trades-tests-and-grows': {
    calls: [5, 9],
    ends: 'gave up',
    because: 'the same two tests take turns at failing, however many shims there are',
    right: [],
  },
  'done-with-a-new-comment': {
    calls: [2, 6],
    ends: 'gave up',
    because: 'it believes that it is done, and a reworded comment repairs nothing',
    right: ['pawl'],
  },
  'renames-without-end': {
    calls: [4, 9],
    ends: 'gave up',
    because: 'a feature was asked for, and a class gets one name after the other',
    right: [],
  },
  'worse-each-time': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'one failure became five, and none was repaired',
    right: ['pawl'],
  },
  'same-rows-again': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'rows that are there already add nothing',
    right: [],
  },
};
