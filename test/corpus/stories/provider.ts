import type { Story } from '../story.js';

const usageLimit = (resetsInMinutes: number) =>
  ({ limited: { by: 'usage-limit', times: 1, resetsInMinutes } }) as const;
const overload = (times: number) => ({ limited: { by: 'overload', times } }) as const;

export const PROVIDER: readonly Story[] = [
  {
    name: 'usage-limit-twice',
    about: 'waits for hours twice, and converges',
    tests: { total: 25, passedBefore: 8 },
    script: 'w10 w13 w15x2 w17 w19 w21 w22 w24 w25',
    costUsd: 0.7,
    minutes: 8,
    turns: { 4: usageLimit(190), 8: usageLimit(240) },
  },
  {
    name: 'usage-limits-and-stall',
    about: 'every window of the subscription is used up for nothing',
    tests: { total: 20, passedBefore: 9 },
    script: 'w11 w12 i12x12',
    costUsd: 0.8,
    minutes: 9,
    turns: { 5: usageLimit(170), 9: usageLimit(280), 13: usageLimit(290) },
  },
  {
    name: 'overload-storm',
    about: 'six refusals in a row, later two, and it converges',
    tests: { total: 15, passedBefore: 6 },
    script: 'w8 w9 w11 w12 w14 w15',
    costUsd: 0.4,
    minutes: 5,
    turns: { 3: overload(6), 5: overload(2) },
  },
  {
    name: 'overload-for-ever',
    about: 'the provider lets nothing through any more',
    tests: { total: 15, passedBefore: 6 },
    script: 'w8 w9 w10 w11',
    costUsd: 0.4,
    minutes: 5,
    turns: { 4: overload(40) },
  },
];
