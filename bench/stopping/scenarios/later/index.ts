import type { Family } from '../steps.js';
import { requests, statusLine } from './asking.js';
import { building } from './building.js';
import { churn, cycles } from './churn.js';
import { freshGoal, insists } from './claims.js';
import { elsewhere } from './elsewhere.js';
import { secondRun, toolOutcomes, trend } from './evidence.js';
import { patience } from './patience.js';

/** A second set. It was written and labelled before the rules that it is about. */
export const LATER_FAMILIES: Readonly<Record<string, Family>> = {
  building,
  patience,
  requests,
  'status line': statusLine,
  churn,
  cycles,
  'tool outcomes': toolOutcomes,
  'second run of a red test': secondRun,
  'work elsewhere': elsewhere,
  'fresh goal': freshGoal,
  'insists on done': insists,
  trend,
};
