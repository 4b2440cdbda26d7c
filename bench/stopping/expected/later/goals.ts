import type { Expectations } from '../expectation.js';

export const checklists: Expectations = {
  'plan-worked-off': {
    calls: [4, 4],
    ends: 'done',
    because: 'the list that the person named is worked off',
    right: [],
  },
  'example-in-the-plan': {
    calls: [3, 3],
    ends: 'done',
    because: 'an example is not an item',
    right: [],
  },
  'only-the-plan-changes': {
    calls: [7, 7],
    ends: 'done',
    because: 'each call settles an item of the list, although nothing else changes',
    right: [],
  },
  'deletes-what-is-left': {
    calls: [5, 8],
    ends: 'gave up',
    because: 'an item that is deleted is not done, and nothing happens any more',
    right: [],
  },
  'ticks-and-unticks': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'a tick that is taken away and set again is not progress',
    right: [],
  },
};

export const metrics: Expectations = {
  'faster-until-the-target': {
    calls: [4, 4],
    ends: 'done',
    because: 'the command measures that the target is reached',
    right: [],
  },
  'gains-are-rare': {
    calls: [9, 9],
    ends: 'done',
    because: 'there is a new best in every third call, and the person waits for four',
    right: [],
  },
  'as-fast-as-it-gets': {
    calls: [6, 6],
    ends: 'gave up',
    because: 'four calls in a row brought no new best, as the person said',
    right: [],
  },
  'measures-nothing': {
    calls: [5, 8],
    ends: 'gave up',
    because: 'nothing shows that it gets better, and it is never done',
    right: [],
  },
};
