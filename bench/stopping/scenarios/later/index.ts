import type { Family } from '../steps.js';
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
  'tests that write files': testsThatWrite,
  'quiet iterations': quiet,
  'green and elsewhere': greenElsewhere,
  'forms of the status line': statusForms,
  'asks and writes': asksAndWrites,
  tables,
  copies,
  checklists,
  metrics,
  'missing logins': missingLogins,
  'needs over several lines': needsOverLines,
  'quoted words': quotedWords,
  'missing programs': missingHelpers,
  'the same errors': sameErrors,
  'handing over': handsOver,
  'rewriting the same lines': rewrites,
  'broken on purpose': brokenOnPurpose,
  'claims over red tests': claimsOverRed,
  'words behind a claim': behindClaims,
  'numbers in other languages': numbers,
  'could you connect it': couldYou,
};
