import type { Expectations } from '../expectation.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** Written without sight of the rules. Only Pawl plays this set; `right` is a guess from the design, not from the code. */
export const UNSEEN_EXPECTED: Expectations = { ...healthy, ...sick };
