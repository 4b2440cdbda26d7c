import { type Expectations, LOOPS } from './expectation.js';

export const completion: Expectations = {
  'steady-to-green': {
    calls: [3, 3],
    ends: 'done',
    because: 'all tests pass and there is nothing else to do',
    right: ['pawl', ...LOOPS, 'task runner'],
  },
  'done-at-once': {
    calls: [1, 1],
    ends: 'done',
    because: 'the first call did it all',
    right: ['pawl', ...LOOPS],
  },
  'early-done': {
    calls: [4, 4],
    ends: 'done',
    because: 'two tests fail when it first says so, and none in the fourth call',
    right: ['pawl', 'careful loop'],
  },
  'marker-in-tool-output': {
    calls: [4, 4],
    ends: 'done',
    because: 'what a file says is not what the agent says',
    right: ['pawl', 'bash loop', 'careful loop'],
  },
  'marker-in-an-edit': {
    calls: [3, 3],
    ends: 'done',
    because: 'what the agent writes into a file is not what it says',
    right: ['pawl', 'bash loop', 'careful loop'],
  },
  'marker-announced': {
    calls: [4, 4],
    ends: 'done',
    because: 'an announcement is no completion, as any reader of the sentence sees',
    right: [],
  },
  'marker-by-a-subagent': {
    calls: [3, 3],
    ends: 'done',
    because: 'a subagent speaks for its part, not for the whole',
    right: ['pawl', 'bash loop', 'careful loop'],
  },
  'marker-then-a-summary': {
    calls: [3, 3],
    ends: 'done',
    because: 'it was said and meant; the summary after it takes nothing back',
    right: ['pawl', 'promise runner'],
  },
  'goal-on-the-last-iteration': {
    calls: [5, 5],
    ends: 'done',
    because: 'reached is reached, also with the last iteration that was allowed',
    right: ['pawl', ...LOOPS, 'task runner'],
  },
  'already-green': {
    calls: [0, 0],
    ends: 'done',
    because: 'there is nothing to do and nothing to pay for',
    // What `pawl init` writes makes one iteration in any case.
    right: ['careful loop'],
  },
  'reached-then-broken': {
    calls: [3, 3],
    isWithin: true,
    ends: 'done',
    because: 'somebody who watches takes the green state and does not wait for it to be improved',
    right: [],
  },
  'red-by-chance-at-the-end': {
    calls: [4, 4],
    ends: 'done',
    because: 'the work is finished; a second look at the test shows that it was chance',
    right: ['bash loop', 'promise runner', 'task runner'],
  },
  'green-by-chance-once': {
    calls: [4, 4],
    ends: 'done',
    because: 'a second look after the second call shows that it was luck',
    right: ['pawl', 'bash loop', 'promise runner'],
  },
  'green-by-chance-twice': {
    calls: [4, 4],
    ends: 'done',
    because: 'the feature is not there before the fourth call, whatever the test says',
    right: ['bash loop', 'promise runner'],
  },
  'tests-that-test-too-little': {
    calls: [4, 4],
    ends: 'done',
    because: 'four features were asked for, not two',
    right: ['bash loop', 'promise runner'],
  },
  'tests-that-cannot-be-read': {
    calls: [2, 2],
    ends: 'done',
    because: 'the task is finished; the linter complained before and is no part of it',
    right: ['bash loop', 'promise runner', 'task runner'],
  },
  'done-file': {
    calls: [4, 4],
    ends: 'done',
    because: 'the agreed file is there',
    right: ['pawl', ...LOOPS],
  },
  'finished-without-a-word': {
    calls: [4, 5],
    ends: 'done',
    because: 'once or twice "nothing left to do" over a finished guide is enough',
    right: [],
  },
};
