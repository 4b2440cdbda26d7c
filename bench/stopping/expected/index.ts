import { cheating } from './cheating.js';
import { completion } from './completion.js';
import type { Expectations } from './expectation.js';
import { hanging } from './hanging.js';
import { progress } from './progress.js';
import { refusals } from './refusals.js';
import { spending } from './spending.js';

export const EXPECTED: Expectations = { ...completion, ...spending, ...progress, ...cheating, ...refusals, ...hanging };
