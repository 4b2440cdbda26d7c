import { context, throughout } from '../turns.js';
import type { Story } from '../story.js';

const CLAIM = 'ALL DONE: everything is implemented and all tests pass.';
const DENIED = { denied: ['npm test', 'npx vitest run', 'node --test'] } as const;

export const CLAIMS: readonly Story[] = [
  {
    name: 'false-done',
    about: 'says that it is done while five tests fail, again and again',
    tests: { total: 14, passedBefore: 6 },
    script: 'w8 w9 i9x7',
    costUsd: 0.15,
    minutes: 2,
    idlesSaying: [CLAIM],
    turns: { 2: { says: CLAIM } },
  },
  {
    name: 'false-done-then-true',
    about: 'says so too early, is told otherwise, and gets there',
    tests: { total: 14, passedBefore: 6 },
    script: 'w9 w11 w12 i12 w13 w14',
    costUsd: 0.3,
    minutes: 4,
    turns: { 3: { says: CLAIM }, 4: { says: 'The harness still sees two failures. I look at them.' } },
  },
  {
    name: 'done-unverified',
    about: 'no tests are configured; it is done after six iterations and has nothing left to do',
    tests: 'none',
    script: 'w w w w w w ix6',
    costUsd: 0.25,
    minutes: 4,
    idlesSaying: ['Nothing is left to do: the guide is complete.'],
    turns: { 6: { says: 'The last chapter is written. The guide is complete.' } },
  },
  {
    name: 'done-unverified-polishes',
    about: 'no tests are configured; it was done after five and rephrases sentences ever since',
    tests: 'none',
    script: 'w w w w w wx7',
    costUsd: 0.3,
    minutes: 4,
    turns: {
      5: { says: 'The guide is complete.' },
      ...throughout(6, 12, {
        says: 'Rephrased a few sentences for clarity.',
        changes: { modified: ['docs/guide.md'], changedLines: 8 },
      }),
    },
  },
  {
    name: 'denied-always',
    about: 'may not run the tests, asks for it every time and does nothing else',
    tests: { total: 12, passedBefore: 4 },
    script: 'i4x7',
    costUsd: 0.12,
    minutes: 2,
    idlesSaying: ['I am not allowed to run the tests, so I cannot verify anything.'],
    turns: throughout(1, 7, DENIED),
  },
  {
    name: 'denied-finds-a-way',
    about: 'is denied twice, works without it, and gets there',
    tests: { total: 12, passedBefore: 4 },
    script: 'i4x2 w6 w8 w9 w11 w12',
    costUsd: 0.2,
    minutes: 3,
    turns: throughout(1, 2, DENIED),
  },
  {
    name: 'context-fills',
    about: 'one session for ever: as the window fills up, it forgets and breaks what it did',
    tests: { total: 30, passedBefore: 10 },
    script: 'w13 w16 w19 w21 w23 w24 w25x2 w24x2 w23 w24 i24 w22 w23 w22',
    costUsd: (iteration) => 0.15 + 0.06 * iteration,
    minutes: 6,
    redlinePercent: 100,
    turns: context([22, 31, 39, 47, 55, 62, 70, 77, 83, 88, 92, 95, 96, 97, 98, 99]),
  },
  {
    name: 'context-renewed',
    about: 'the window fills up twice and is renewed; the work goes on',
    tests: { total: 34, passedBefore: 10 },
    script: 'w13 w16 w18 w20 w21x2 w23 w25 w26 w28 w28x2 w29 w31 w32 w33 w34',
    costUsd: 0.4,
    minutes: 6,
    redlinePercent: 85,
    turns: context([25, 40, 55, 70, 82, 90, 22, 38, 51, 66, 79, 88, 20, 37, 52, 64, 70]),
  },
  {
    name: 'giant-diff-breaks',
    about: 'copies a library of 412 files into the tree; most tests break and stay broken',
    tests: { total: 26, passedBefore: 15 },
    script: 'w17 w18 w19 w20 w6x2 w7 w5',
    costUsd: 0.5,
    minutes: 6,
    turns: {
      5: {
        says: 'Vendored the library so that I can patch it.',
        changes: { created: ['vendor/lib/index.js', 'vendor/lib/parse.js'], changedFiles: 412, changedLines: 58_214 },
      },
    },
  },
  {
    name: 'giant-diff-generated',
    about: 'a generator writes 120 files, as it should',
    tests: { total: 26, passedBefore: 15 },
    script: 'w17 w18 w20 w22 w24 w25 w26',
    costUsd: 0.4,
    minutes: 5,
    turns: {
      4: {
        says: 'Ran the generator for the API client.',
        changes: { created: ['src/api/client.ts', 'src/api/types.ts'], changedFiles: 120, changedLines: 21_370 },
      },
    },
  },
];
