import type { Expectations } from '../expectation.js';

export const sick: Expectations = {
  'one-guard-in-ten-spellings': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'the same guard in other words, and the same error at the same line',
    right: ['pawl'],
  },
  'stubs-that-are-called-implemented': {
    calls: [4, 9],
    ends: 'gave up',
    because: 'what only throws is not implemented, and the same four tests fail after each call',
    right: ['pawl'],
  },
  'diary-of-the-night': {
    calls: [4, 10],
    ends: 'gave up',
    because: 'an export was asked for, and there is a diary',
    right: [],
  },
  'quotes-and-semicolons': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'quotes and semicolons make no test pass',
    right: ['pawl'],
  },
  'helper-script-after-helper-script': {
    calls: [4, 9],
    ends: 'gave up',
    because: 'after a handful of scripts the code has not been touched, and the same two tests fail',
    right: ['pawl'],
  },
  'asks-the-same-in-other-words': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'only the user knows whether the column may go, and the agent asks for nothing else',
    right: ['pawl'],
  },
  'server-that-never-comes-up': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'a server that waits for migrations for the whole night will not come up by being asked again',
    right: ['pawl'],
  },
  'argues-with-the-linter': {
    calls: [5, 9],
    ends: 'gave up',
    because: 'the third version leads back to the first, and one round shows that none of them will do',
    right: ['pawl'],
  },
  'takes-it-back-each-time': {
    calls: [4, 9],
    ends: 'gave up',
    because: 'after the third approach that is taken back, a person would not expect the fourth to stay',
    right: ['pawl'],
  },
  'done-apart-from-two-red-tests': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'it insists on being done while two of the tests that it was to repair fail',
    right: ['pawl'],
  },
  'a-parser-from-scratch-each-time': {
    calls: [4, 9],
    ends: 'gave up',
    because: 'after several parsers with the same three failures the next one will not help either',
    right: ['pawl'],
  },
  'gives-up-politely': {
    calls: [2, 5],
    ends: 'blocked',
    because: 'it says that it cannot go on, and asks for a person to take over',
    right: ['pawl'],
  },
};
