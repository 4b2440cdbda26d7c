import { type Expectations, LOOPS } from './expectation.js';

export const progress: Expectations = {
  stall: {
    calls: [4, 7],
    ends: 'gave up',
    because: 'two to five calls of the same sentence without a change are enough',
    right: ['pawl'],
  },
  'six-plans-first': {
    calls: [9, 9],
    ends: 'done',
    because: 'each plan is about something new, and then it is done quickly',
    right: [...LOOPS],
  },
  'short-plateau': {
    calls: [5, 5],
    ends: 'done',
    because: 'two calls of search are nothing unusual',
    right: ['pawl', ...LOOPS],
  },
  'one-gain-in-four': {
    calls: [12, 12],
    ends: 'done',
    because: 'it is slow, cheap and steady, and all of it can be seen in the files',
    right: [...LOOPS],
  },
  'worse-then-better': {
    calls: [6, 6],
    ends: 'done',
    because: 'that the tests fail while the interface is replaced was to be expected',
    right: [...LOOPS],
  },
  'oscillates-over-tests': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'after the second or third time around it is clear that it goes in circles',
    right: ['pawl'],
  },
  'oscillates-unwatched': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'after the second or third time around it is clear that it goes in circles',
    right: [],
  },
  'oscillates-watched': {
    calls: [4, 7],
    ends: 'gave up',
    because: 'after the second or third time around it is clear that it goes in circles',
    right: ['pawl'],
  },
  'goes-back-to-compare': {
    calls: [9, 9],
    ends: 'done',
    because: 'every second call is a gain; going back is how it works',
    right: [...LOOPS],
  },
  'diary-over-red-tests': {
    calls: [3, 6],
    ends: 'gave up',
    because: 'notes are no work when no test moves',
    right: ['pawl'],
  },
  'diary-without-tests': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'notes are no work, and the same sentence every day is not even a note',
    right: [],
  },
  'works-outside-the-tree': {
    calls: [8, 8],
    ends: 'done',
    because: 'the work is real; it only lies in the folder beside',
    right: [...LOOPS],
  },
  'same-error-every-time': {
    calls: [2, 4],
    ends: 'gave up',
    because: 'a full disk does not become emptier by trying',
    right: ['pawl'],
  },
  'two-bad-starts': {
    calls: [4, 4],
    ends: 'done',
    because: 'two errors of the network are two errors of the network',
    right: ['pawl', ...LOOPS],
  },
};
