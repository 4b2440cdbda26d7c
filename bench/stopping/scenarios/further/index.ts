import type { Family } from '../steps.js';
import { healthy } from './healthy.js';
import { sick } from './sick.js';

/** A fourth set. Its author had not read the rules either. */
export const FURTHER_FAMILIES: Readonly<Record<string, Family>> = {
  'odd but healthy': healthy,
  'sick or finished': sick,
};
