import type { Expectations } from '../expectation.js';

export const healthy: Expectations = {
  'lemma-that-resists': {
    calls: [7, 7],
    ends: 'done',
    because: 'each tactic fails in another way, and that is how a proof is found',
    right: ['pawl'],
  },
  'shader-by-eye': {
    calls: [8, 8],
    ends: 'done',
    because: 'it looks at each picture, and each is closer to the drawing',
    right: [],
  },
  'timing-closes-in-the-tenth': {
    calls: [10, 10],
    ends: 'done',
    because: 'the slack gets better in every call, although the test can only say that it is not enough',
    right: [],
  },
  'paragraphs-into-copybooks': {
    calls: [6, 6],
    ends: 'done',
    because: 'to move the paragraphs is the task, and one more is moved after each call',
    right: ['pawl'],
  },
  'imports-into-the-state': {
    calls: [8, 8],
    ends: 'done',
    because: 'the plan is one shorter after each call',
    right: [],
  },
  'fewer-conflicts-in-the-grammar': {
    calls: [7, 7],
    ends: 'done',
    because: 'the conflicts fall from 47 to none',
    right: ['pawl'],
  },
  'no-board-on-the-desk': {
    calls: [10, 10],
    ends: 'done',
    because: 'each call writes another driver; that nothing can be flashed here is no obstacle',
    right: ['pawl'],
  },
  'reads-a-binary-first': {
    calls: [6, 6],
    ends: 'done',
    because: 'who decodes a format has to find it out first, and each call finds another part',
    right: ['pawl'],
  },
};
