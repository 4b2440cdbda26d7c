import type { Story } from '../story.js';
import { CLAIMS } from './claims.js';
import { CONVERGING } from './converging.js';
import { COSTS } from './costs.js';
import { ERRORS } from './errors.js';
import { FLAKY } from './flaky.js';
import { INTERRUPTIONS } from './interruptions.js';
import { MIXTURES } from './mixtures.js';
import { OSCILLATING } from './oscillating.js';
import { PLATEAUS } from './plateaus.js';
import { PROVIDER } from './provider.js';
import { STALLS } from './stalls.js';
import { TESTS_ASTRAY } from './tests-astray.js';

/** Every run of the corpus, by its kind. */
export const STORIES: readonly Story[] = [
  ...CONVERGING,
  ...PLATEAUS,
  ...STALLS,
  ...OSCILLATING,
  ...FLAKY,
  ...TESTS_ASTRAY,
  ...COSTS,
  ...PROVIDER,
  ...ERRORS,
  ...CLAIMS,
  ...INTERRUPTIONS,
  ...MIXTURES,
];
