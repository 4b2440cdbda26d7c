import { type Expectations, LOOPS } from './expectation.js';

export const refusals: Expectations = {
  'usage-limit-that-resets': {
    calls: [4, 4],
    ends: 'done',
    because: 'one waits three seconds; the refused call was no iteration',
    right: ['pawl'],
  },
  'usage-limit-for-two-hours': {
    calls: [2, 2],
    ends: 'waiting',
    because: 'nothing will be let through before, and two hours can be waited for',
    right: ['pawl'],
  },
  'usage-limit-for-three-days': {
    calls: [2, 2],
    ends: 'blocked',
    because: 'three days are not waited for; somebody has to decide',
    right: ['pawl'],
  },
  'writes-about-limits': {
    calls: [3, 3],
    ends: 'done',
    because: 'no limit was met, it only wrote about limits',
    right: ['pawl', 'bash loop', 'careful loop', 'task runner'],
  },
  'overload-that-passes': {
    calls: [4, 4],
    ends: 'done',
    because: 'the refused call was no iteration, and the next one is let through',
    right: ['pawl'],
  },
  'overload-for-ever': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'after the wait that was agreed on, and a last try, it is not for the run to solve',
    right: ['pawl'],
  },
  'too-many-requests-once': {
    calls: [4, 4],
    ends: 'done',
    because: 'a 429 of the minute is over after a minute; the refused call was no iteration',
    right: [],
  },
  'login-lost': {
    calls: [3, 3],
    ends: 'blocked',
    because: 'without a login every further call is in vain',
    right: ['pawl'],
  },
  'credit-used-up': {
    calls: [2, 2],
    ends: 'blocked',
    because: 'without credit every further call is in vain',
    right: ['pawl'],
  },
  'denied-always': {
    calls: [1, 2],
    ends: 'blocked',
    because: 'only a person can give the permission',
    right: [],
  },
  'denied-always-watched': {
    calls: [1, 2],
    ends: 'blocked',
    because: 'only a person can give the permission',
    right: ['pawl'],
  },
  'denied-finds-a-way': {
    calls: [3, 3],
    ends: 'done',
    because: 'it got along without',
    right: ['pawl', ...LOOPS, 'task runner'],
  },
  'asks-a-question': {
    calls: [1, 2],
    ends: 'blocked',
    because: 'only a person can answer, and it says so',
    right: [],
  },
};
