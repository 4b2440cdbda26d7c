import type { ConditionOf } from '../model/condition.js';
import { allPassed, cannotBeRun, lostTests, type TestResults, testsRan } from '../model/test-results.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { count, list, plural } from './figures.js';
import { met, notMet, unknown } from './result.js';

export function judgeAllTests(condition: ConditionOf<'all_tests_pass'>, facts: Facts): StopConditionResult {
  const { tests } = facts;
  if (tests === undefined) return unknown(condition, 'the tests were not run');
  const ran = testsRan(tests);
  if (ran === undefined && tests.exitCode === undefined && tests.timedOut !== true) {
    return unknown(condition, 'how many tests failed is not known');
  }
  if (!allPassed(tests)) {
    return notMet(
      condition,
      lostTests(tests, facts.baselineTests) ?? redness(tests),
      ran === undefined || ran === 0 ? 0 : (tests.passed ?? 0) / ran,
    );
  }
  const before = facts.baselineTests === undefined ? undefined : testsRan(facts.baselineTests);
  if (before !== undefined && condition.fewer_tests !== 'allow' && (ran ?? 0) < before) {
    const now = ran === undefined ? 'none could be counted' : `only ${count(ran)} ran`;
    return notMet(condition, `all tests pass, but ${now}; ${count(before)} ran before`, (ran ?? 0) / before);
  }
  const what =
    ran === undefined ? 'the tests pass' : ran === 1 ? 'the only test passes' : `all ${count(ran)} tests pass`;
  return met(condition, tests.source === 'agent' ? `${what}, as the agent's own output shows` : what);
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

export function judgeNamedTests(condition: ConditionOf<'specific_tests_pass'>, facts: Facts): StopConditionResult {
  const { tests } = facts;
  if (tests === undefined) return unknown(condition, 'the tests were not run');
  const missing = condition.tests.filter((name) => !passed(tests, name));
  if (missing.length === 0) return met(condition, `${plural(condition.tests.length, 'named test')} passed`);
  const unseen = missing.filter((name) => !tests.details.some((detail) => detail.name === name));
  const complete = (tests.omittedDetails ?? 0) === 0 && tests.details.length > 0;
  if (unseen.length === missing.length && !complete) return unknown(condition, `not told: ${list(unseen)}`);
  const done = condition.tests.length - missing.length;
  const sentence = `${count(done)} of ${plural(condition.tests.length, 'named test')} passed, waiting for ${list(missing)}`;
  return notMet(condition, sentence, done / condition.tests.length);
}

/** A name that stands for several tests has passed when all of them have. */
function passed(tests: TestResults, name: string): boolean {
  const named = tests.details.filter((detail) => detail.name === name);
  return named.length > 0 && named.every((detail) => detail.status === 'passed');
}
