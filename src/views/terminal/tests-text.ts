import type { Observation } from '../../model/observation.js';
import type { RunState } from '../../model/run-state.js';
import {
  allPassed,
  cannotBeRun,
  isFailing,
  type TestDetail,
  type TestResults,
  testsRan,
} from '../../model/test-results.js';
import { count, plural, quote } from '../../model/figures.js';

const MOST_LINES_OF_OUTPUT = 10;

/** What the agent's tool printed; Pawl has not run the tests on these files. */
export function passedText(passed: number): string {
  return `${plural(passed, 'test')} passed in the agent's run`;
}

/** `6 of 8 tests pass (+2)`; by the exit code where nothing was counted. */
export function testsText(tests: TestResults, before?: number): string {
  const ran = testsRan(tests);
  const believed = tests.source === 'agent' ? ', says the agent' : '';
  if (ran === undefined || tests.passed === undefined) return `${uncountedText(tests)}${believed}`;
  if (ran === 0) return `no tests were found${believed}`;
  const change = before === undefined ? 0 : tests.passed - before;
  const gain = change === 0 ? '' : ` (${change > 0 ? '+' : ''}${change})`;
  return `${count(tests.passed)} of ${count(ran)} tests pass${gain}${flakyText(tests)}${believed}`;
}

/** They failed where they had passed before, and passed when Pawl ran them again. */
function flakyText({ flaky = [] }: TestResults): string {
  return flaky.length === 0 ? '' : `, ${count(flaky.length)} only in a second run`;
}

function uncountedText(tests: TestResults): string {
  if (tests.timedOut === true) return 'the tests timed out';
  if (cannotBeRun(tests)) return `the tests cannot be run (exit code ${tests.exitCode})`;
  return `the tests ${allPassed(tests) ? 'pass' : 'fail'}`;
}

/** The last lines of what failing tests printed, kept where nothing could be counted. */
export function testsOutput(tests: TestResults): readonly string[] {
  const { output } = tests;
  if (output === undefined || testsRan(tests) !== undefined || allPassed(tests)) return [];
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').slice(-MOST_LINES_OF_OUTPUT);
}

/** How many tests passed when they were last looked at, before what is recorded next. */
export function testsPassedSoFar({ recent, baseline }: RunState): number | undefined {
  return recent.findLast((iteration) => iteration.testsPassed !== undefined)?.testsPassed ?? baseline?.tests?.passed;
}

/** The tests at the start and now. What the last iteration did not show is not known, whatever was seen before. */
export function testsThenAndNow({ baseline, latest, iterations, spec }: RunState): string | undefined {
  const then = baseline?.tests;
  const now = latest.observation.tests;
  if (iterations === 0 && (now !== undefined || then === undefined)) return now && testsText(now);
  if (now === undefined && then === undefined && spec?.tests === undefined) return undefined;
  const before = then === undefined ? '' : `before: ${testsText(then)}; `;
  if (now === undefined) return `${before}not run${iterations === 0 ? '' : ` after iteration ${count(iterations)}`}`;
  return `${before}${before && 'now: '}${testsText(now)}${failingText(latest.observation)}`;
}

const MOST_NAMES = 3;
const MOST_OF_ERROR = 160;

/** Of one failing test also what it printed; `pawl show RUN N` has that of each. */
function failingText(observation: Observation): string {
  const failing = failingTests(observation);
  const [only] = failing;
  if (only === undefined) return '';
  if (failing.length === 1) return `; failing: ${testWithError(only)}`;
  const others = failing.length > MOST_NAMES ? ` and ${count(failing.length - MOST_NAMES)} more` : '';
  const names = failing.slice(0, MOST_NAMES).map(({ name }) => quote(name, 60));
  return `; failing: ${names.join(', ')}${others}`;
}

/** `"keeps a comma": expected 'a,b'`. */
export function testWithError({ name, error }: TestDetail): string {
  return `${quote(name, 60)}${error === undefined ? '' : `: ${quote(error, MOST_OF_ERROR).slice(1, -1)}`}`;
}

export function failingTests({ tests }: Observation): readonly TestDetail[] {
  return (tests?.details ?? []).filter(isFailing);
}
