import { allTestsPass, holdsFor } from '../../../src/stop/conditions.js';
import { flaky } from '../turns.js';
import type { Story } from '../story.js';

const STOCK = 'checkout > waits for the stock';

export const FLAKY: readonly Story[] = [
  {
    name: 'flaky-with-progress',
    about: 'one test flips by itself, the others come one by one',
    tests: { total: 20, passedBefore: 8 },
    script: 'w10 w12 w11 w13 i14 w15 w14 w17 w16 w18 i17 w19 w20',
    costUsd: 0.35,
    minutes: 5,
    turns: flaky(STOCK, 13, [3, 4, 7, 9, 11]),
  },
  {
    name: 'flaky-without-progress',
    about: 'nothing changes, and still 18 or 19 tests pass',
    tests: { total: 20, passedBefore: 17 },
    script: 'w18 i19 i18x2 i19 i18 i19 i18x3 i19 i18x2 i19x2',
    costUsd: 0.3,
    minutes: 4,
    turns: flaky(STOCK, 15, [1, 3, 4, 6, 8, 9, 10, 12, 13]),
  },
  {
    name: 'flaky-one-green',
    about: 'green once and red on the same tree; two greens in a row are asked for',
    tests: { total: 20, passedBefore: 16 },
    script: 'w17 w18 w19x2 i19 i20 i19x2 i20 i19x3 i20 i19',
    costUsd: 0.3,
    minutes: 4,
    success: [holdsFor(2, allTestsPass())],
    turns: flaky(STOCK, 14, [4, 5, 7, 8, 10, 11, 12, 14]),
  },
  {
    name: 'flaky-new-highs',
    about: 'many flaky tests: now and then more pass than ever, by luck',
    tests: { total: 40, passedBefore: 30 },
    script: 'w31 i32 i30 i33 i31x2 i34 i32x3 i35 i33x4 i36 i32',
    costUsd: 0.35,
    minutes: 6,
  },
  {
    name: 'flaky-made-steady',
    about: 'finds out why a test flips, and ends with two greens in a row',
    tests: { total: 20, passedBefore: 10 },
    script: 'w14 w17 i18 w19 i20 i19 w20x2',
    costUsd: 0.4,
    minutes: 5,
    success: [holdsFor(2, allTestsPass())],
    turns: flaky(STOCK, 8, [3, 4, 6]),
  },
];
