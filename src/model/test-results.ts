export type TestStatus = 'passed' | 'failed' | 'skipped' | 'error';

export interface TestDetail {
  readonly name: string;
  readonly status: TestStatus;
  /** The file or package that it is in, where the runner names it and the name does not hold it. */
  readonly file?: string | undefined;
  /** Not a test: a file, package or suite that could not be run. */
  readonly isSuite?: true | undefined;
  readonly durationMs?: number | undefined;
  readonly error?: string | undefined;
}

/**
 * How much a run of the tests shows. `named`: every test that ran has a name. `counted`: how many there are, and which fail.
 * `exit-code`: nothing could be counted.
 */
export type TestGrade = 'named' | 'counted' | 'exit-code';

/** Digests of the names of all tests by their results, sorted, 6 bytes each, in base64. */
export interface TestNames {
  readonly passed?: string | undefined;
  readonly failed?: string | undefined;
  readonly skipped?: string | undefined;
}

/** Some tests: how many, and the first of those whose names are known. */
export interface SomeTests {
  readonly count: number;
  readonly names: readonly string[];
}

/** How the tests differ by name from those of the start. */
export interface NameChanges {
  /** Ran at the start and are not there now. */
  readonly missing?: SomeTests | undefined;
  /** Ran at the start and are skipped now. */
  readonly skipped?: SomeTests | undefined;
  readonly added?: SomeTests | undefined;
  /** One figure of all names: two runs of the same tests have the same. */
  readonly digest: string;
}

/** What a run of the tests showed. Counts are there when the output could be read, else the exit code decides. */
export interface TestResults {
  /** `harness`: Pawl ran them. `agent`: read off what the agent's own tools printed, and only trusted. */
  readonly source: 'harness' | 'agent';
  /** Absent in older records. */
  readonly grade?: TestGrade | undefined;
  readonly exitCode?: number | undefined;
  /** `parse_tests: false`: the user lets the exit code decide. */
  readonly exitCodeDecides?: true | undefined;
  readonly timedOut?: boolean | undefined;
  readonly total?: number | undefined;
  readonly passed?: number | undefined;
  readonly failed?: number | undefined;
  readonly skipped?: number | undefined;
  readonly details: readonly TestDetail[];
  /** Details left out to keep the record small; the tests that the policy names are never left out. */
  readonly omittedDetails?: number | undefined;
  /** The command failed with the flag that asks for names, and was run again without it. */
  readonly namesRefused?: true | undefined;
  /** Of the tests of the start, where each has a name: what later runs are compared with. */
  readonly names?: TestNames | undefined;
  /** Set where this run and the start name every test. */
  readonly changes?: NameChanges | undefined;
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

export function isFailing({ status }: TestDetail): boolean {
  return status === 'failed' || status === 'error';
}

export function failingNames({ details }: TestResults): readonly string[] {
  return details.filter(isFailing).map(({ name }) => name);
}

/** A command that says nothing but its exit code. That it is 0 verifies nothing, unless the user says so. */
export function isUncounted({ grade, exitCodeDecides }: TestResults): boolean {
  return grade === 'exit-code' && exitCodeDecides !== true;
}

/** What to do where no test can be counted. */
export const UNCOUNTED_REMEDY = '`parse_tests: false` in the config lets the exit code decide';

/** Why tests that say nothing but their exit code are not known to pass. */
export const UNCOUNTED = `the tests exit with 0, but none of them could be counted; ${UNCOUNTED_REMEDY}`;

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
  const isEmpty =
    ran === undefined
      ? exitCode !== 0 && NO_TESTS.test(output)
      : ran === 0 && (exitCode === 0 || exitCode === NONE_COLLECTED);
  return isEmpty && timedOut !== true ? 'no tests were found' : undefined;
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
