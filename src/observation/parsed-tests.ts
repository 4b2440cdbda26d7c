import { headOf } from '../model/cut-text.js';
import type { TestDetail } from '../model/test-results.js';

/** What the output of a test run says. */
export interface ParsedTests {
  readonly framework: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The tests that the output names: all that failed if it names them, the others only where it lists them. */
  readonly details: readonly TestDetail[];
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Undefined: not this framework's output. `unfinished`: it is, but it ends before it says how the run went. */
export type Reading = ParsedTests | 'unfinished' | undefined;

export type OutputParser = (lines: readonly string[]) => Reading;

/** The start of an error is enough to tell it from another. */
const ERROR_CHARACTERS = 2000;

/**
 * The summary is believed: in a green run, what looks like a failing test was printed by one, or passed when retried. Not
 * when it counts what cannot be: then it has not told how the run went.
 */
export function parsedTests(
  framework: string,
  counts: TestCounts,
  details: readonly TestDetail[],
): ParsedTests | 'unfinished' {
  const { passed, failed, skipped } = counts;
  const total = passed + failed + skipped;
  if (![passed, failed, skipped, total].every((count) => Number.isSafeInteger(count) && count >= 0)) {
    return unfinishedTests(framework, details);
  }
  const believed = failed === 0 ? details.filter((detail) => !isFailing(detail)) : details;
  return { framework, total, passed, failed, skipped, details: believed };
}

/** A run that ended before its summary: red when it named a failing test, else its exit code has to decide. */
export function unfinishedTests(framework: string, details: readonly TestDetail[]): ParsedTests | 'unfinished' {
  return details.some(isFailing) ? parsedTests(framework, countDetails(details), details) : 'unfinished';
}

export function countDetails(details: readonly TestDetail[]): TestCounts {
  const failed = details.filter(isFailing).length;
  const skipped = details.filter((detail) => detail.status === 'skipped').length;
  return { passed: details.length - failed - skipped, failed, skipped };
}

export function addCounts(all: readonly TestCounts[]): TestCounts {
  return all.reduce(
    (sum, counts) => ({
      passed: sum.passed + counts.passed,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

export function isFailing(detail: TestDetail): boolean {
  return detail.status === 'failed' || detail.status === 'error';
}

export function testDetail(
  name: string,
  status: TestDetail['status'],
  more: { readonly error?: string | undefined; readonly durationMs?: number | undefined } = {},
): TestDetail {
  const error = more.error && headOf(more.error.trim(), ERROR_CHARACTERS);
  return {
    name,
    status,
    ...(error === undefined || error === '' ? {} : { error }),
    ...(more.durationMs === undefined || !Number.isFinite(more.durationMs) ? {} : { durationMs: more.durationMs }),
  };
}

/** A test that is named several times, once with its error, is one test. */
export function distinct(details: readonly TestDetail[]): readonly TestDetail[] {
  const byName = new Map<string, TestDetail>();
  for (const detail of details) {
    const known = byName.get(detail.name);
    const worse = known === undefined || (isFailing(detail) && !isFailing(known));
    if (worse) byName.set(detail.name, detail);
    else if (known.error === undefined && detail.error !== undefined && isFailing(known) && isFailing(detail))
      byName.set(detail.name, { ...known, error: detail.error });
  }
  return [...byName.values()];
}
