import type { Observation } from '../../model/observation.js';
import type { RunState } from '../../model/run-state.js';
import { allPassed, type TestResults, testsRan } from '../../model/test-results.js';
import { count } from '../../stop/figures.js';

/** `6 of 8 tests pass (+2)`; by the exit code where nothing was counted. */
export function testsText(tests: TestResults, before?: number): string {
  const ran = testsRan(tests);
  const believed = tests.source === 'agent' ? ', says the agent' : '';
  if (ran === undefined || tests.passed === undefined) {
    const how = tests.timedOut === true ? 'the tests timed out' : `the tests ${allPassed(tests) ? 'pass' : 'fail'}`;
    return `${how}${believed}`;
  }
  const change = before === undefined ? 0 : tests.passed - before;
  const gain = change === 0 ? '' : ` (${change > 0 ? '+' : ''}${change})`;
  return `${count(tests.passed)} of ${count(ran)} tests pass${gain}${believed}`;
}

/** How many tests passed when they were last looked at, before what is recorded next. */
export function testsPassedSoFar({ recent, baseline }: RunState): number | undefined {
  return recent.findLast((iteration) => iteration.testsPassed !== undefined)?.testsPassed ?? baseline?.tests?.passed;
}

/** The tests at the start and now. */
export function testsThenAndNow(state: RunState): string | undefined {
  const then = state.baseline?.tests;
  const now = state.latest.observation.tests ?? then;
  if (now === undefined) return undefined;
  if (then === undefined || state.iterations === 0) return testsText(now);
  return `before: ${testsText(then)}; now: ${testsText(now)}`;
}

/** Names of failing tests. */
export function failingNames({ tests }: Observation): readonly string[] {
  return (tests?.details ?? [])
    .filter(({ status }) => status === 'failed' || status === 'error')
    .map(({ name }) => name);
}
