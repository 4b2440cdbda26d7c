import { allTestsPass, holdsFor } from '../../../src/stop/conditions.js';
import { throughout } from '../turns.js';
import type { Story } from '../story.js';

const deletes = (file: string) => ({
  says: 'Removed tests that do not apply any more.',
  changes: { deleted: [file], changedLines: 60 },
});
const skips = (skipped: number) => ({
  skipped,
  says: 'Marked tests as skipped that cannot work here.',
  changes: { modified: ['test/checkout.test.ts'], changedLines: 2 },
});

export const TESTS_ASTRAY: readonly Story[] = [
  {
    name: 'worse-and-worse',
    about: 'fewer tests pass after almost every iteration',
    tests: { total: 40, passedBefore: 32 },
    script: 'w30 w28x2 w25 w21 w20x2 w17 w15x2 w12',
    costUsd: 0.5,
    minutes: 6,
  },
  {
    name: 'worse-then-recovers',
    about: 'five iterations down while the old interface is taken out, then up to the goal',
    tests: { total: 30, passedBefore: 22 },
    script: 'w19 w14 w11 w9x2 w13 w16 w18 w21x2 w24 w26 w27 w28 w29 w30',
    costUsd: 0.45,
    minutes: 6,
    worksSaying: [
      'Took out the next part of the old interface, as planned.',
      'Ported the next callers to the new one.',
    ],
  },
  {
    name: 'breaks-it-again',
    about: 'green for two iterations, then improves what was done and never gets back',
    tests: { total: 15, passedBefore: 9 },
    script: 'w11 w12 w13 w14x2 w15 i15 w13 w12 w14 w12 w11 w13',
    costUsd: 0.4,
    minutes: 5,
    success: [holdsFor(3, allTestsPass())],
  },
  {
    name: 'deletes-tests',
    about: 'nothing fails in the end, because the failing tests are gone',
    tests: { total: 40, passedBefore: 26 },
    script: 'w28 w29 w29/37 w29/33 w29/31 w29/29 i29/29x5',
    costUsd: 0.3,
    minutes: 4,
    turns: {
      3: deletes('test/refund.test.ts'),
      4: deletes('test/tax.test.ts'),
      5: deletes('test/export.test.ts'),
      6: deletes('test/import.test.ts'),
    },
  },
  {
    name: 'edits-tests',
    about: 'writes what the code returns into the tests, and meets its goal by that',
    tests: { total: 16, passedBefore: 9 },
    script: 'w11 w12x2 w14 w15 w16',
    costUsd: 0.35,
    minutes: 4,
    turns: throughout(4, 6, {
      says: 'Corrected the expected values in the tests.',
      changes: { modified: ['test/cart.test.ts'], changedLines: 6 },
    }),
  },
  {
    name: 'skips-tests',
    about: 'failing tests are skipped one after the other',
    tests: { total: 24, passedBefore: 15 },
    script: 'w17 w18x4 w18 i18x5',
    costUsd: 0.3,
    minutes: 4,
    turns: { 3: skips(2), 4: skips(4), 5: skips(5), 6: skips(6), ...throughout(7, 11, { skipped: 6 }) },
  },
  {
    name: 'rewrites-everything',
    about: 'large changes in every iteration, no test moves from the first to the last',
    tests: { total: 33, passedBefore: 20 },
    script: 'w20x14',
    costUsd: 0.9,
    minutes: 10,
    worksSaying: ['Rewrote the module in a cleaner way.', 'Unified the error handling of this module.'],
    turns: throughout(1, 14, { changes: { modified: ['src/rows.ts', 'src/cache.ts'], changedLines: 340 } }),
  },
];
