import type { Expectations } from '../expectation.js';

export const building: Expectations = {
  'export-in-three-calls': {
    calls: [3, 3],
    ends: 'done',
    because: 'the tests never failed, so they say nothing about a feature that is there only after the third call',
    right: [],
  },
  'tests-come-with-the-feature': {
    calls: [4, 4],
    ends: 'done',
    because: 'green tests of one part do not finish the other three',
    right: [],
  },
  'done-with-step-one': {
    calls: [3, 3],
    ends: 'done',
    because: 'one step of three is not the feature',
    right: [],
  },
  'builds-without-a-word': {
    calls: [4, 4],
    ends: 'done',
    because: 'a call that changes nothing while the tests pass shows that the agent has finished',
    right: [],
  },
  'claims-before-it-builds': {
    calls: [3, 3],
    ends: 'done',
    because: 'nothing was built when it first said done',
    right: [],
  },
  'breaks-one-then-finishes': {
    calls: [2, 2],
    ends: 'done',
    because: 'the feature is there, and the broken test is repaired',
    right: ['pawl'],
  },
};
