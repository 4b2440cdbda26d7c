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
