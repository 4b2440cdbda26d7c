import type { Expectations } from '../expectation.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** Languages and tools that the other sets do not have. Their author had just read the rules. `right` is a guess. */
export const TRADES_EXPECTED: Expectations = { ...healthy, ...sick };
