import type { Family } from '../steps.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** An eighth set: languages and tools that the other sets do not have. */
export const TRADES_FAMILIES: Readonly<Record<string, Family>> = { healthy, sick };
