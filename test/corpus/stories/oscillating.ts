import { throughout } from '../turns.js';
import type { Story } from '../story.js';

export const OSCILLATING: readonly Story[] = [
  {
    name: 'oscillate-two-states',
    about: 'an edit and its reverse, over and over',
    tests: { total: 10, passedBefore: 6 },
    script: `w8 ${'A8 B8 '.repeat(7)}`,
    costUsd: 0.3,
    minutes: 4,
    worksSaying: [
      'Made the parser strict: the config test passes.',
      'Made the parser lenient: the import test passes.',
    ],
  },
  {
    name: 'oscillate-three-states',
    about: 'three versions in turn',
    tests: { total: 14, passedBefore: 7 },
    script: `w10 ${'A10 B11 C10 '.repeat(5)}`,
    costUsd: 0.35,
    minutes: 5,
    worksSaying: ['Back to the queue.', 'A lock instead of the queue.', 'Neither lock nor queue: a retry.'],
  },
  {
    name: 'oscillate-long-cycle',
    about: 'six versions in turn: the circle is wide',
    tests: { total: 18, passedBefore: 9 },
    script: 'A10 B11 C11 D12 E11 F10 '.repeat(3),
    costUsd: 0.3,
    minutes: 5,
  },
  {
    name: 'oscillate-breaks-out',
    about: 'flips three times, then sees that both sides are needed',
    tests: { total: 12, passedBefore: 5 },
    script: 'w8 A9 B9 A9 B9 A9 B9 w10 w11x2 w12',
    costUsd: 0.4,
    minutes: 5,
  },
  {
    name: 'oscillate-creeps-up',
    about: 'puts the tree back every second time to compare, and gets on',
    tests: { total: 26, passedBefore: 10 },
    script: 'w12 A11 w14 A11 w16 A11 w18 A11 w20 A11 w22 A11 w24 A11 w26',
    costUsd: 0.3,
    minutes: 5,
    worksSaying: ['Took the stash back and went on from it.', 'Stashed my work to compare with the old behaviour.'],
  },
  {
    name: 'oscillate-formatter',
    about: 'the formatter and the agent fight over white space while the work goes on',
    tests: { total: 9, passedBefore: 3 },
    script: 'w5 A5 B5 A5 w7 C7 D7 C7 w9',
    costUsd: 0.2,
    minutes: 3,
    turns: {
      ...throughout(2, 4, { says: 'Formatted.', changes: { modified: ['src/rows.ts'], changedLines: 2 } }),
      ...throughout(6, 8, { says: 'Formatted.', changes: { modified: ['src/rows.ts'], changedLines: 2 } }),
    },
  },
];
