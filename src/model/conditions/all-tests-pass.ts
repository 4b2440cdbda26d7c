import { count, plural } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, may } from '../judging/condition-definition.js';
import { measure } from '../judging/measure.js';
import { allPassed, cannotBeRun, lostTests, type TestResults, testsRan } from '../test-results.js';

export interface AllTestsPass {
  readonly type: 'all_tests_pass';
  readonly fewer_tests?: 'allow' | undefined;
}

export const definition = {
  type: 'all_tests_pass',
  version: 1,
  about: 'tests ran, none failed, and no fewer ran than before the first iteration',
  fields: { fewer_tests: may('allow') },
  class: 'goal',
  goalOnly: true,
  priority: 60,
  where: 'loop',
  needsDirectory: true,
  evidence: 'tests',
  judge: ({ fewer_tests }, { tests, baselineTests, iteration = 0 }) => {
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
    if (before !== undefined && fewer_tests !== 'allow' && (ran ?? 0) < before) {
      const now = ran === undefined ? 'none could be counted' : `only ${count(ran)} ran`;
      return notMet(`all tests pass, but ${now}; ${count(before)} ran before`, (ran ?? 0) / before);
    }
    const what = greenness(ran);
    return met(tests.source === 'agent' ? `${what}, as the agent's own output shows` : what);
  },
  describe: ({ fewer_tests }) => `when all tests pass${fewer_tests === 'allow' ? ', even if fewer run' : ''}`,
  // No fewer may run than before the first iteration.
  measure: (_condition, { tests, baselineTests }) => {
    const ran = tests && testsRan(tests);
    if (tests?.passed === undefined || ran === undefined) return undefined;
    return measure(tests.passed, Math.max(ran, (baselineTests && testsRan(baselineTests)) ?? 0), 'tests');
  },
  needsMore: (left, _condition, { tests }) => (left === 0 ? undefined : neededTests(left, tests)),
  needs: () => 'all tests to pass',
  warn: ({ type }, { hasTests, parseTests }) =>
    hasTests || parseTests
      ? undefined
      : { message: `${type} can never be met: no \`tests\` are configured and parse_tests is false; set \`tests\`` },
} satisfies ConditionDefinition<AllTestsPass>;

function greenness(ran: number | undefined): string {
  if (ran === undefined) return 'the tests pass';
  if (ran === 1) return 'the only test passes';
  return ran === 2 ? 'both tests pass' : `all ${count(ran)} tests pass`;
}

function redness(tests: TestResults): string {
  if (tests.timedOut === true) return 'the tests timed out';
  const ran = testsRan(tests);
  if (cannotBeRun(tests)) return `the tests cannot be run (exit code ${tests.exitCode})`;
  if (ran === undefined || tests.failed === undefined)
    return `the tests failed with exit code ${tests.exitCode ?? 'unknown'}`;
  if (tests.failed > 0) return `${count(tests.failed)} of ${plural(ran, 'test')} ${ran === 1 ? 'fails' : 'fail'}`;
  if (tests.exitCode !== undefined && tests.exitCode !== 0)
    return `no test fails, but the command exits with ${tests.exitCode}`;
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

/** Holds when tests ran, none failed and no fewer ran than in the baseline. */
export const allTestsPass = (options: { fewerTests?: 'allow' } = {}) =>
  build<AllTestsPass>(definition, { fewer_tests: options.fewerTests });
