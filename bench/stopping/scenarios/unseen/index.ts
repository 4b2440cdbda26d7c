import type { Family } from '../steps.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** A third set. Its author had not read the rules. */
export const UNSEEN_FAMILIES: Readonly<Record<string, Family>> = { 'odd but healthy': healthy, sick };
