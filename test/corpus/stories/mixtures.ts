import { throughout } from '../turns.js';
import type { Story } from '../story.js';

const HANG_UP = { error: { kind: 'other', message: 'socket hang up' } } as const;

export const MIXTURES: readonly Story[] = [
  {
    name: 'mix-limit-flaky-plateaus',
    about: 'flaky tests, a usage limit and three plateaus of four, three and five; gets there',
    tests: { total: 28, passedBefore: 9 },
    script: 'w12 w14 w13 w16 i16x4 w18 w20 w19 w22 i22x3 w23 w25 i25x5 w26 w27 w28',
    costUsd: 0.3,
    minutes: 5,
    turns: { 9: { limited: { by: 'usage-limit', times: 1, resetsInMinutes: 95 } } },
    idlesSaying: [
      'Read the protocol again; the next message is the acknowledgement.',
      'Traced the exchange: the third message comes twice.',
      'Wrote down the states of both sides; one transition is missing.',
    ],
  },
  {
    name: 'mix-oscillates-dear',
    about: 'the same two versions at a dollar and a half each, with a detour between',
    tests: { total: 20, passedBefore: 11 },
    script: 'w13 A14 B14 A14 w14 B14 A14 B14 w14 A14 B14',
    costUsd: 1.5,
    minutes: 10,
  },
  {
    name: 'mix-errors-plateau-pays',
    about: 'two errors, then five iterations of search, then the goal',
    tests: { total: 20, passedBefore: 7 },
    script: 'w9 w11 i11x2 w13 w14 w15 i15x5 w16 w17 w18 w19 w20',
    costUsd: 0.35,
    minutes: 5,
    turns: throughout(3, 4, HANG_UP),
    idlesSaying: ['Narrowed it down further: one module less to look at.'],
  },
  {
    name: 'mix-ever-longer-rests',
    about: 'one test after four empty iterations, one after six, none after five',
    tests: { total: 30, passedBefore: 15 },
    script: 'w18 i18x4 w19 i19x6 w20 i20x5',
    costUsd: 0.6,
    minutes: 6,
  },
  {
    name: 'mix-cut-off-early',
    about: 'ended by its limit of three iterations while it went well',
    tests: { total: 20, passedBefore: 5 },
    script: 'w8 w11 w13',
    costUsd: 0.4,
    minutes: 5,
  },
];
