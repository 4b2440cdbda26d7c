import type { Expectations } from '../expectation.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** Nights as people have them. Their author knew the guide, but not the code of the rules. `right` is a guess. */
export const NIGHTS_EXPECTED: Expectations = { ...healthy, ...sick };
