import type { Story } from '../story.js';

const PLANS = [
  'I read the code and wrote down which modules take part.',
  'The schema has to come first: tables, then queries, then the views.',
  'Compared two designs; the event table needs fewer joins.',
  'Worked out the order of migrations on paper.',
  'The plan stands: five steps, beginning with the schema.',
];

export const CONVERGING: readonly Story[] = [
  {
    name: 'fast-three-steps',
    about: 'every iteration brings tests, done in three',
    tests: { total: 12, passedBefore: 4 },
    script: 'w7 w10 w12',
    costUsd: 0.35,
    minutes: 4,
  },
  {
    name: 'fast-five-cheap',
    about: 'small steps at six cents, done in five',
    tests: { total: 20, passedBefore: 11 },
    script: 'w13 w15 w18 w19 w20',
    costUsd: 0.06,
    minutes: 2,
  },
  {
    name: 'steady-twelve',
    about: 'one to three tests an iteration, done in twelve',
    tests: { total: 30, passedBefore: 5 },
    script: 'w8 w9 w12 w14 w16 w17 w20 w22 w25 w27 w29 w30',
    costUsd: 0.4,
    minutes: 5,
  },
  {
    name: 'slow-twenty-four',
    about: 'gains every second or third iteration',
    tests: { total: 40, passedBefore: 10 },
    script: 'w12x2 w14x2 w15 w17x3 w19 w21x2 w23 w24x2 w27x2 w29 w31x2 w33 w35 w36x2 w40',
    costUsd: 0.45,
    minutes: 7,
  },
  {
    name: 'slow-burn-thirty-four',
    about: 'three iterations for every gain, to the end',
    tests: { total: 45, passedBefore: 6 },
    script: 'w6 w8x3 w10x3 w13x3 w16x3 w19x3 w22x2 w25x3 w28x2 w31x2 w34x3 w37x2 w40 w42x2 w45',
    costUsd: 0.3,
    minutes: 6,
  },
  {
    name: 'slow-burn-with-rests',
    about: 'two gains, then three iterations of reading, seven times over',
    tests: { total: 39, passedBefore: 3 },
    script: 'w4 w7 i7x3 w9 w12 i12x3 w14 w17 i17x3 w19 w22 i22x3 w24 w27 i27x3 w29 w32 i32x3 w34 w37 i37x3 w38 w39',
    costUsd: 0.18,
    minutes: 4,
    idlesSaying: [
      'Read how the next module does it; I will start with its reader.',
      'The next module has two callers that nobody tests. Noted.',
      'Next: the writer. It needs the lock that the reader already has.',
    ],
  },
  {
    name: 'plan-first',
    about: 'five iterations of planning without a file, then quick work',
    tests: { total: 25, passedBefore: 2 },
    script: 'i2x5 w6 w11 w15 w19 w23 w25',
    costUsd: 0.5,
    minutes: 6,
    idlesSaying: PLANS,
  },
  {
    name: 'red-refactor',
    about: 'a change of the core breaks almost everything, and all of it comes back',
    tests: { total: 40, passedBefore: 30 },
    script: 'w12 w3x2 w5x2 w4 w8x2 w11x2 w20 w31 w36 w39 w40',
    costUsd: 0.8,
    minutes: 9,
    worksSaying: [
      'The store has a new interface; the callers do not compile yet.',
      'Ported the next group of callers to the new store.',
    ],
  },
];
