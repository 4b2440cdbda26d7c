import type { Family } from '../steps.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** A seventh set: what agents do in recorded sessions of Claude Code, as nights. */
export const RECORDED_FAMILIES: Readonly<Record<string, Family>> = { healthy, sick };
