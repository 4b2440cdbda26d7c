import type { Story } from '../story.js';

export const INTERRUPTIONS: readonly Story[] = [
  {
    name: 'crash-once',
    about: 'the runner dies in the middle and is resumed; it converges',
    tests: { total: 20, passedBefore: 8 },
    script: 'w10 w12 w13 w15 w16 w17 w19 w20',
    costUsd: 0.4,
    minutes: 5,
    turns: { 4: { crashes: { downMinutes: 8 } } },
  },
  {
    name: 'crash-twice-then-stall',
    about: 'the runner dies twice; after the second time nothing moves any more',
    tests: { total: 20, passedBefore: 8 },
    script: 'w10 w11 w12 w13 i13x9',
    costUsd: 0.5,
    minutes: 5,
    turns: { 3: { crashes: { downMinutes: 40 } }, 5: { crashes: { downMinutes: 400 } } },
  },
  {
    name: 'operator-stops-a-stall',
    about: 'stands still from the third iteration; somebody stops it after eight',
    tests: { total: 16, passedBefore: 6 },
    script: 'w8 w9 i9x10',
    costUsd: 0.5,
    minutes: 6,
    turns: { 8: { stoppedBy: 'cli' } },
  },
  {
    name: 'operator-stops-a-good-run',
    about: 'goes well; somebody stops it because the machine is needed',
    tests: { total: 16, passedBefore: 6 },
    script: 'w9 w11 w12 w13 w14 w15 w16',
    costUsd: 0.4,
    minutes: 5,
    turns: { 4: { stoppedBy: 'web' } },
  },
];
