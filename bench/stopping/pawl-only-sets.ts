import { ADVERSARY_EXPECTED } from './expected/adversary/index.js';
import { ADVERSARY_FAMILIES } from './scenarios/adversary/index.js';
import { FURTHER_EXPECTED } from './expected/further/index.js';
import { FURTHER_FAMILIES } from './scenarios/further/index.js';
import { LATER_EXPECTED } from './expected/later/index.js';
import { LATER_FAMILIES } from './scenarios/later/index.js';
import { NIGHTS_EXPECTED } from './expected/nights/index.js';
import { NIGHTS_FAMILIES } from './scenarios/nights/index.js';
import { RECORDED_EXPECTED } from './expected/recorded/index.js';
import { RECORDED_FAMILIES } from './scenarios/recorded/index.js';
import { TRADES_EXPECTED } from './expected/trades/index.js';
import { TRADES_FAMILIES } from './scenarios/trades/index.js';
import { UNSEEN_EXPECTED } from './expected/unseen/index.js';
import { UNSEEN_FAMILIES } from './scenarios/unseen/index.js';
import type { Expectations } from './expected/expectation.js';
import type { Family } from './scenarios/steps.js';

/** A set that only Pawl plays, and the words of its page. */
export interface PawlOnlySet {
  readonly families: Readonly<Record<string, Family>>;
  readonly expected: Expectations;
  readonly title: string;
  /** Two lines, to be read after how many there are. */
  readonly about: readonly [string, string];
  /** What the recorded first outcome of a scenario is called. */
  readonly before: string;
}

const FIRST_PLAY = 'at first play';

const SETS = {
  later: {
    families: LATER_FAMILIES,
    expected: LATER_EXPECTED,
    title: 'the later set',
    about: [
      '. What a person wants of each was written and committed before the rules that they are about',
      '([expected](../expected/README.md)). Right: stopped there, with the right reason. Before: Pawl without these rules.',
    ],
    before: 'before',
  },
  unseen: {
    families: UNSEEN_FAMILIES,
    expected: UNSEEN_EXPECTED,
    title: 'written without sight of the rules',
    about: [
      '. Their author had not read the rules; what a person wants of each was committed before the',
      'first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: FIRST_PLAY,
  },
  further: {
    families: FURTHER_FAMILIES,
    expected: FURTHER_EXPECTED,
    title: 'a second set written without sight of the rules',
    about: [
      '. Their author had not read the rules; what a person wants of each was committed before the',
      'first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: FIRST_PLAY,
  },
  adversary: {
    families: ADVERSARY_FAMILIES,
    expected: ADVERSARY_EXPECTED,
    title: 'written to make the rules fail',
    about: [
      '. Their author had read the guide and looked for runs that the rules get wrong; what a person',
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: FIRST_PLAY,
  },
  nights: {
    families: NIGHTS_FAMILIES,
    expected: NIGHTS_EXPECTED,
    title: 'nights as people have them',
    about: [
      '. Their author knew the guide, but not the code of the rules; what a person',
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: FIRST_PLAY,
  },
  recorded: {
    families: RECORDED_FAMILIES,
    expected: RECORDED_EXPECTED,
    title: 'after recorded sessions',
    about: [
      ' after what agents do in recorded sessions. Their author knew the rules; what a person',
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: FIRST_PLAY,
  },
  trades: {
    families: TRADES_FAMILIES,
    expected: TRADES_EXPECTED,
    title: 'other languages and tools',
    about: [
      ' with languages and tools that the other sets do not have. Their author had just read the rules; what a person',
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: FIRST_PLAY,
  },
} as const satisfies Readonly<Record<string, PawlOnlySet>>;

export type PawlOnlyName = keyof typeof SETS;
export const PAWL_ONLY_SETS: Readonly<Record<PawlOnlyName, PawlOnlySet>> = SETS;
export const PAWL_ONLY_NAMES = Object.keys(SETS) as readonly PawlOnlyName[];
