import type { Expectations } from '../expectation.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** After recorded sessions. Their author knew the rules. `right` is a guess. */
export const RECORDED_EXPECTED: Expectations = { ...healthy, ...sick };
