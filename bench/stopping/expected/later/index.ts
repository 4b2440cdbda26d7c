import type { Expectations } from '../expectation.js';
import { requests, statusLine } from './asking.js';
import { behindClaims } from './behind-claims.js';
import { building } from './building.js';
import { churn, cycles } from './churn.js';
import { freshGoal, insists } from './claims.js';
import { copies, tables } from './content.js';
import { elsewhere } from './elsewhere.js';
import { secondRun, toolOutcomes, trend } from './evidence.js';
import { checklists, metrics } from './goals.js';
import { asksAndWrites, statusForms } from './needing.js';
import { brokenOnPurpose, claimsOverRed, handsOver, rewrites } from './nights.js';
import { patience } from './patience.js';
import { sameErrors } from './same-errors.js';
import { greenElsewhere, quiet, testsThatWrite } from './settling.js';
import { couldYou, numbers } from './trades.js';
import { missingHelpers, missingLogins, needsOverLines, quotedWords } from './wording.js';

/** Written before the rules that they are about. Only Pawl plays this set, so `right` predicts nothing about other runners. */
export const LATER_EXPECTED: Expectations = {
  ...building,
  ...patience,
  ...requests,
  ...statusLine,
  ...churn,
  ...cycles,
  ...toolOutcomes,
  ...secondRun,
  ...trend,
  ...freshGoal,
  ...insists,
  ...elsewhere,
  ...testsThatWrite,
  ...quiet,
  ...greenElsewhere,
  ...statusForms,
  ...asksAndWrites,
  ...tables,
  ...copies,
  ...checklists,
  ...metrics,
  ...missingLogins,
  ...needsOverLines,
  ...quotedWords,
  ...missingHelpers,
  ...sameErrors,
  ...handsOver,
  ...rewrites,
  ...brokenOnPurpose,
  ...claimsOverRed,
  ...behindClaims,
  ...numbers,
  ...couldYou,
};
