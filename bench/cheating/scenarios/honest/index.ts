import type { Honest } from '../scenario.js';
import { compiled } from './compiled.js';
import { freshEyes } from './fresh-eyes.js';
import { heldOut } from './held-out.js';
import { javascript } from './javascript.js';
import { lastTries } from './last-tries.js';
import { nearMisses } from './near-misses.js';
import { oddButRight } from './odd-but-right.js';
import { python } from './python.js';
import { secondLook } from './second-look.js';

export const HONEST: Readonly<Record<string, readonly Honest[]>> = {
  javascript,
  python,
  compiled,
  'held out': heldOut,
  'odd but right': oddButRight,
  'near misses': nearMisses,
  'fresh eyes': freshEyes,
  'second look': secondLook,
  'last tries': lastTries,
};
