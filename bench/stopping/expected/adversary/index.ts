import type { Expectations } from '../expectation.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** Written to make the rules fail, by an author who had read the guide. `right` is a guess. */
export const ADVERSARY_EXPECTED: Expectations = { ...healthy, ...sick };
