import type { Family } from '../steps.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** A sixth set: nights as people have them, with what tools and agents really print. */
export const NIGHTS_FAMILIES: Readonly<Record<string, Family>> = {
  'healthy, but looks sick': healthy,
  sick,
};
