export type TestStatus = 'passed' | 'failed' | 'skipped' | 'error';

export interface TestDetail {
  readonly name: string;
  readonly status: TestStatus;
  readonly durationMs?: number | undefined;
  readonly error?: string | undefined;
}

/** What a run of the tests showed. Counts are there when the output could be read, else the exit code decides. */
export interface TestResults {
  /** `harness`: Pawl ran them. `agent`: read off what the agent's own tools printed, and only believed. */
  readonly source: 'harness' | 'agent';
  readonly exitCode?: number | undefined;
  readonly timedOut?: boolean | undefined;
  readonly total?: number | undefined;
  readonly passed?: number | undefined;
  readonly failed?: number | undefined;
  readonly skipped?: number | undefined;
  readonly details: readonly TestDetail[];
  /** Details left out to keep the record small; the tests that the policy names are never left out. */
  readonly omittedDetails?: number | undefined;
  /** The end of what was printed, where no test could be counted: it mostly says why. */
  readonly output?: string | undefined;
  readonly framework?: string | undefined;
  readonly durationMs?: number | undefined;
  /** They were run twice, because they failed where they had passed. These failed in the first run only. */
  readonly flaky?: readonly string[] | undefined;
}

/** Of two runs of the same tests the one in which fewer fail, with the names of those that failed by chance. */
export function betterOf(first: TestResults, second: TestResults): TestResults {
  const [before, now] = [failingTests(first), failingTests(second)];
  const isBetter = now !== undefined && (before === undefined || now < before);
  if (!isBetter || (testsRan(second) ?? 0) < (testsRan(first) ?? 0)) return { ...first, flaky: [] };
  const still = new Set(failingNames(second));
  return { ...second, flaky: failingNames(first).filter((name) => !still.has(name)) };
}

export function failingNames({ details }: TestResults): readonly string[] {
  return details.flatMap(({ name, status }) => (status === 'failed' || status === 'error' ? [name] : []));
}

/** Few enough to have failed by chance. */
const MOST_DOUBTFUL = 3;

/**
 * Whether tests that fail may fail by chance: each of them passed before, or the only one that fails does so while the agent
 * says that it is done.
 */
export function areDoubtful(tests: TestResults, before: TestResults | undefined, saysDone: boolean): boolean {
  const failing = failingNames(tests);
  if (allPassed(tests) || failing.length === 0 || failing.length !== tests.failed) return false;
  if (failing.length === 1 && saysDone) return true;
  if (failing.length > MOST_DOUBTFUL || before === undefined || testsRan(before) === undefined) return false;
  const failedBefore = new Set(failingNames(before));
  const passedBefore = new Set(before.details.flatMap(({ name, status }) => (status === 'passed' ? [name] : [])));
  // Many runners name only what fails: of as many tests as before, what was not named has passed.
  const isNamed = passedBefore.size > 0 || testsRan(before) === testsRan(tests);
  return (
    isNamed && failing.every((name) => !failedBefore.has(name) && (passedBefore.size === 0 || passedBefore.has(name)))
  );
}

/** Tests that ran: skipped ones did not. Undefined when nothing was counted. */
export function testsRan(results: TestResults): number | undefined {
  if (results.passed === undefined || results.failed === undefined) return undefined;
  return results.passed + results.failed;
}

/** No count, exit code or timeout speaks against it. Zero tests have not passed. */
export function allPassed(results: TestResults): boolean {
  if (results.timedOut === true) return false;
  if (results.exitCode !== undefined && results.exitCode !== 0) return false;
  const ran = testsRan(results);
  if (ran === undefined) return results.exitCode === 0;
  return results.failed === 0 && ran > 0;
}

/** By the shell's two codes for a command that is not there or is no program. */
export function cannotBeRun(results: TestResults): boolean {
  const { exitCode, timedOut } = results;
  return testsRan(results) === undefined && timedOut !== true && (exitCode === 126 || exitCode === 127);
}

/** What test runners print when there is nothing to run. */
const NO_TESTS =
  /\bno tests? (?:files? )?(?:were |was )?(?:found|ran|run|collected|executed|discovered)|\bno test files\b|collected 0 items\b/i;
/** Of pytest: no tests were collected. */
const NONE_COLLECTED = 5;

/** Why tests that ran at the start are not there any more; undefined when they are. Tests that do not build are. */
export function lostTests(results: TestResults, baseline: TestResults | undefined): string | undefined {
  if (baseline === undefined || cannotBeRun(baseline) || testsRan(baseline) === 0) return undefined;
  if (cannotBeRun(results)) return `the tests cannot be run (exit code ${results.exitCode})`;
  const { exitCode = 0, output = '', timedOut } = results;
  const ran = testsRan(results);
  const isEmpty = ran === undefined ? exitCode !== 0 && NO_TESTS.test(output) : ran === 0 && isCalm(exitCode);
  return isEmpty && timedOut !== true ? 'no tests are found' : undefined;
}

function isCalm(exitCode: number): boolean {
  return exitCode === 0 || exitCode === NONE_COLLECTED;
}

/** Whether two failing runs that counted nothing printed the same, but for times; undefined when that says nothing. */
export function printedSame(before: TestResults | undefined, now: TestResults): boolean | undefined {
  if (before === undefined || allPassed(before) || failingTests(before) !== undefined) return true;
  if ((before.output ?? '') === '' && (now.output ?? '') === '') return undefined;
  return withoutTimes(before.output) === withoutTimes(now.output) && before.timedOut === now.timedOut;
}

/** Without times, durations and ids, which differ from run to run. */
export function withoutTimes(output = ''): string {
  return output
    .replace(/\d{4}-\d\d-\d\d[t ]?/gi, '')
    .replace(/\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?z?/gi, '<time>')
    .replace(/\d+(?:[.,]\d+)?\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?)\b/gi, '<time>')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '<id>')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Failing tests; undefined when they were not counted, as when the tests broke down without naming one. */
export function failingTests(results: TestResults): number | undefined {
  if (allPassed(results)) return 0;
  return results.failed === 0 ? undefined : results.failed;
}

/** Passed tests in percent of those that ran; 100 when none ran. */
export function successRate(results: TestResults): number | undefined {
  const ran = testsRan(results);
  if (ran === undefined || results.passed === undefined) return undefined;
  return ran === 0 ? 100 : (results.passed / ran) * 100;
}
