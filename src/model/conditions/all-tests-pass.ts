import { count, list, plural, quote } from '../figures.js';
import { type Answer, met, notMet, unknown } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition, type ValuesOf } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { measure } from '../judging/measure.js';
import { namesProblem, originalsProblem } from '../original-tests.js';
import {
  allPassed,
  cannotBeRun,
  isUncounted,
  lostTests,
  type TestResults,
  testsRan,
  UNCOUNTED,
} from '../test-results.js';

const fields = { fewer_tests: optional(field.allow) };

type AllTestsPass = ValuesOf<typeof fields>;

/** Holds when tests ran, none failed and no fewer ran than in the baseline. */
export const allTestsPass = defineCondition({
  type: 'all_tests_pass',
  // Since version 2 the tests of the start have to pass, too, each by its name where it has one, and an exit code shows no test.
  version: 2,
  earlier: { 1: { judge: (condition, facts) => judgeOwnTests(condition, facts) } },
  about: 'tests ran, none failed, no fewer ran than before the first iteration, and the original tests pass',
  fields,
  make: (options: { fewerTests?: 'allow' } = {}) => ({ fewer_tests: options.fewerTests }),
  class: 'goal',
  goalOnly: true,
  priority: 60,
  where: 'loop',
  needsDirectory: true,
  needs: ({ fewer_tests }) => ({ tests: 'all', ...(fewer_tests === 'allow' ? {} : { originalsSince: 2 }) }),
  evidence: 'tests',
  judge: (condition, facts) => {
    const own = judgeOwnTests(condition, facts, filesGone(facts.tests));
    const { original, tests, isAccepted } = facts;
    if (!own.isMet || tests === undefined) return own;
    if (isUncounted(tests) && isAccepted !== true) return unknown(UNCOUNTED);
    if (original?.unusable !== undefined) return unknown(`the original tests could not be run: ${original.unusable}`);
    const problem = problemOf(condition, facts, tests);
    if (problem !== undefined) return notMet(`all tests pass, but ${problem}`, 0);
    return own;
  },
  describe: ({ fewer_tests }) => `when all tests pass${fewer_tests === 'allow' ? ', even if fewer run' : ''}`,
  // No fewer may run than before the first iteration.
  measure: (_condition, { tests, baselineTests }) => {
    const ran = tests && testsRan(tests);
    if (ran === undefined) return undefined;
    return measure(tests?.passed, Math.max(ran, (baselineTests && testsRan(baselineTests)) ?? 0), 'tests');
  },
  takesMore: (left, _condition, { tests }) => (left === 0 ? undefined : neededTests(left, tests)),
  takes: () => 'all tests to pass',
});

/** What the names of the tests, and those of the start, say against work whose own tests pass. */
function problemOf({ fewer_tests }: AllTestsPass, facts: Facts, tests: TestResults): string | undefined {
  const { original, baselineTests } = facts;
  if (original !== undefined) return originalsProblem(original, tests, baselineTests);
  return fewer_tests === 'allow' || baselineTests === undefined ? undefined : namesProblem(tests, baselineTests);
}

/** A file that `node --test` runs without finding a test in it, as it would the name of a test. */
const FILE_NAME = /^\S*\/\S*\.[cm]?[jt]sx?$/;

/** Files, such as helpers, that counted as tests and are elsewhere now. Whether they were tests, the original ones decide. */
function filesGone(tests: TestResults | undefined): number {
  return tests?.changes?.missing?.names.filter((name) => FILE_NAME.test(name)).length ?? 0;
}

/** The tests as the agent left them. */
function judgeOwnTests(
  { fewer_tests }: AllTestsPass,
  { tests, baselineTests, iteration = 0 }: Facts,
  mayLack = 0,
): Answer {
  if (tests === undefined)
    return unknown(`the tests were not run${iteration > 0 ? ` after iteration ${iteration}` : ''}`);
  const ran = testsRan(tests);
  if (ran === undefined && tests.exitCode === undefined && tests.timedOut !== true) {
    return unknown('how many tests failed is not known');
  }
  if (!allPassed(tests)) {
    const progress = ran === undefined || ran === 0 ? 0 : (tests.passed ?? 0) / ran;
    return notMet(lostTests(tests, baselineTests) ?? redness(tests), progress);
  }
  const before = baselineTests === undefined ? undefined : testsRan(baselineTests);
  if (before !== undefined && fewer_tests !== 'allow' && (ran ?? 0) + mayLack < before) {
    const now = ran === undefined ? 'none could be counted' : `only ${count(ran)} ran`;
    const missing = tests.changes?.missing?.names.map((name) => quote(name, 60)) ?? [];
    const names = missing.length === 0 ? '' : ` (missing: ${list(missing)})`;
    return notMet(`all tests pass, but ${now}; ${count(before)} ran before${names}`, (ran ?? 0) / before);
  }
  const what = greenness(ran);
  return met(tests.source === 'agent' ? `${what}, as the agent's own output shows` : what);
}

function greenness(ran: number | undefined): string {
  if (ran === undefined) return 'the tests pass';
  if (ran === 1) return 'the only test passes';
  return ran === 2 ? 'both tests pass' : `all ${count(ran)} tests pass`;
}

function redness(tests: TestResults): string {
  if (tests.timedOut === true) return 'the tests timed out';
  const { exitCode, failed = 0 } = tests;
  const ran = testsRan(tests);
  if (cannotBeRun(tests)) return `the tests cannot be run (exit code ${exitCode})`;
  if (ran === undefined) return `the tests failed with exit code ${exitCode}`;
  if (failed > 0) return `${count(failed)} of ${plural(ran, 'test')} ${ran === 1 ? 'fails' : 'fail'}`;
  if (exitCode !== undefined && exitCode !== 0) return `no test fails, but the command exits with ${exitCode}`;
  return 'no test ran';
}

/** The tests that fail, and those that ran before and do not run now. */
function neededTests(left: number, tests: TestResults | undefined): string {
  const failing = tests?.failed ?? left;
  const gone = left - failing;
  const parts = [
    ...(failing > 0 ? [`${plural(failing, 'more test')} to pass`] : []),
    ...(gone > 0 ? [`${plural(gone, 'test')} to run again that ran before`] : []),
  ];
  return parts.join(' and ');
}
