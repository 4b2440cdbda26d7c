import type { Family } from '../steps.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** A fifth set. Its author had read the guide, and tried to make the rules fail. */
export const ADVERSARY_FAMILIES: Readonly<Record<string, Family>> = {
  'healthy, but looks sick': healthy,
  'sick, but looks healthy': sick,
};
