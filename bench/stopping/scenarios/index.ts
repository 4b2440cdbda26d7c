import { cheating } from './cheating.js';
import { completion } from './completion.js';
import { hanging } from './hanging.js';
import { progress } from './progress.js';
import { refusals } from './refusals.js';
import type { Family } from './steps.js';
import { spending } from './spending.js';

export const FAMILIES: Readonly<Record<string, Family>> = {
  completion,
  spending,
  progress,
  cheating,
  refusals,
  hanging,
};
