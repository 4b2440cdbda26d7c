import { type Expectations, LOOPS } from './expectation.js';

export const hanging: Expectations = {
  'hangs-in-silence': {
    calls: [3, 3],
    ends: 'done',
    because: 'a call that hangs is ended, and the next one does the work',
    right: ['pawl', 'careful loop'],
  },
  'hangs-in-a-tool': {
    calls: [3, 3],
    ends: 'done',
    because: 'a call that hangs is ended, and the next one does the work',
    right: ['pawl', 'careful loop'],
  },
  'hangs-deaf-with-a-child': {
    calls: [3, 3],
    ends: 'done',
    because: 'a call that hangs is ended with everything that it started, and the next one does the work',
    right: ['pawl', 'careful loop'],
  },
  'hangs-after-its-result': {
    calls: [2, 2],
    ends: 'done',
    because: 'all is done and told; that the process stays does not matter',
    right: ['pawl', 'careful loop'],
  },
  'child-holds-the-pipe': {
    calls: [3, 3],
    ends: 'done',
    because: 'a call is over when the agent is, whatever it has left behind',
    right: ['pawl', 'careful loop'],
  },
  'chatters-for-ever': {
    calls: [3, 3],
    ends: 'done',
    because: 'a call that does not end is ended, and the next one does the work',
    right: ['pawl', 'careful loop'],
  },
  'hangs-every-time': {
    calls: [2, 4],
    ends: 'gave up',
    because: 'three times is no accident',
    right: ['pawl'],
  },
  'tests-that-hang': {
    calls: [3, 3],
    ends: 'done',
    because: 'tests that hang have failed; the next call repairs it',
    right: ['pawl', 'bash loop', 'promise runner', 'task runner'],
  },
  'time-is-up': {
    calls: [2, 2],
    isWithin: true,
    ends: 'out of budget',
    because: 'three seconds are three seconds',
    right: ['pawl', 'careful loop'],
  },
  'three-iterations': {
    calls: [3, 3],
    ends: 'out of budget',
    because: 'three were allowed',
    right: ['pawl', ...LOOPS, 'task runner'],
  },
  'five-iterations-and-a-crash': {
    calls: [5, 6],
    ends: 'out of budget',
    because: 'five were allowed in all; the one that the crash cut short may be made up for',
    right: ['pawl'],
  },
};
