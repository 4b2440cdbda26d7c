import type { Expectations } from '../expectation.js';

export const requests: Expectations = {
  'which-tax-rule': {
    calls: [1, 2],
    ends: 'blocked',
    because: 'only a person can decide which rule applies, and the agent says that it waits',
    right: [],
  },
  'waits-for-a-confirmation': {
    calls: [3, 4],
    ends: 'blocked',
    because: 'the agent is right to wait for a person before it deletes data',
    right: [],
  },
  'needs-the-customer-list': {
    calls: [2, 3],
    ends: 'blocked',
    because: 'only a person has the file, and a note that it is missing is no work',
    right: [],
  },
  'asks-once-then-decides': {
    calls: [4, 4],
    ends: 'done',
    because: 'it asked once, got no answer and found a way',
    right: ['pawl'],
  },
  'offers-more-at-the-end': {
    calls: [3, 3],
    ends: 'done',
    because: 'an offer to do more is no request, and the work is finished',
    right: ['pawl'],
  },
};

export const statusLine: Expectations = {
  'status-needs-a-password': {
    calls: [1, 1],
    ends: 'blocked',
    because: 'it says in the agreed form that it needs a person',
    right: [],
  },
  'status-needs-a-decision': {
    calls: [3, 3],
    ends: 'blocked',
    because: 'it says in the agreed form that it needs a person, although it worked in the same call',
    right: [],
  },
  'status-line-in-a-tool': {
    calls: [3, 3],
    ends: 'done',
    because: 'the line is in a file that the agent reads, not in what it says',
    right: ['pawl'],
  },
  'status-line-of-a-subagent': {
    calls: [3, 3],
    ends: 'done',
    because: 'the subagent needed something, and the agent gave it',
    right: ['pawl'],
  },
  'status-line-quoted': {
    calls: [4, 4],
    ends: 'done',
    because: 'the line is quoted, and the sentences around it say that nothing is missing',
    right: ['pawl'],
  },
};
