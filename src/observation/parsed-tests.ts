import { headOf } from '../model/figures.js';
import { isFailing, type TestDetail, type TestGrade } from '../model/test-results.js';
import { MOST_NAMES } from './name-digests.js';

/** What the output of a test run says. */
export interface ParsedTests {
  readonly framework: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The tests that the output names: all that failed if it names them, the others only where it lists them. */
  readonly details: readonly TestDetail[];
  /** More tests ran than it counts: it broke off, or its runner says nothing of tests that pass. */
  readonly isPartial?: true | undefined;
}

/** With where its counts are from. */
export interface ReadTests extends ParsedTests {
  /** They are counted from a list of tests, not from a summary: what is left out of the output is not counted. */
  readonly isListed?: true | undefined;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Undefined: not this framework's output. `unfinished`: it is, but it ends before it says how the run went. */
export type Reading = ReadTests | 'unfinished' | undefined;

export type OutputParser = (lines: readonly string[]) => Reading;

/** The start of an error is enough to tell it from another. */
const ERROR_CHARACTERS = 2000;

/**
 * The summary is trusted: in a green run, what looks like a failing test was printed by one, or passed when retried. Not
 * when it counts what cannot be: then it has not reported how the run went.
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

/** As `parsedTests`, of a run without a summary. */
export function listedTests(
  framework: string,
  counts: TestCounts,
  details: readonly TestDetail[],
): ReadTests | 'unfinished' {
  const parsed = parsedTests(framework, counts, details);
  return parsed === 'unfinished' ? parsed : { ...parsed, isListed: true };
}

/** A run that ended before its summary: red when it named a failing test, else its exit code has to decide. */
export function unfinishedTests(framework: string, details: readonly TestDetail[]): ReadTests | 'unfinished' {
  const listed = details.some(isFailing) ? listedTests(framework, countDetails(details), details) : 'unfinished';
  return listed === 'unfinished' ? listed : { ...listed, isPartial: true };
}

/** Whether every test that ran has a name. */
export function isNamed({ details, passed, failed, isPartial }: ParsedTests): boolean {
  const named = countDetails(details);
  return isPartial !== true && named.passed === passed && named.failed === failed;
}

/** Of tests that could not be read: by the exit code. More tests than are kept by name are compared by number. */
export function gradeOf(parsed: ParsedTests | undefined): TestGrade {
  if (parsed === undefined) return 'exit-code';
  return isNamed(parsed) && parsed.details.length <= MOST_NAMES ? 'named' : 'counted';
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

export function testDetail(
  name: string,
  status: TestDetail['status'],
  more: {
    readonly error?: string | undefined;
    readonly durationMs?: number | undefined;
    readonly file?: string | undefined;
  } = {},
): TestDetail {
  const error = more.error && headOf(more.error.trim(), ERROR_CHARACTERS);
  return {
    name,
    status,
    ...(more.file === undefined ? {} : { file: more.file }),
    ...(error === undefined || error === '' ? {} : { error }),
    ...(more.durationMs === undefined || !Number.isFinite(more.durationMs) ? {} : { durationMs: more.durationMs }),
  };
}

/** A file, package or suite that could not be run. */
export function brokenSuite(name: string, error?: string): TestDetail {
  return { ...testDetail(name, 'error', { error }), isSuite: true };
}

/**
 * Tests that are listed once each, also where they share a name, and those that failed, named again with their errors. Where
 * the list is not of this kind, a test that is named several times is one.
 */
export function listedOnce(
  listed: readonly TestDetail[],
  failures: readonly TestDetail[],
  { passed, failed }: TestCounts,
): readonly TestDetail[] {
  const counts = countDetails(listed);
  if (counts.passed !== passed || counts.failed > failed) return distinct([...failures, ...listed]);
  const open = new Map(distinct(failures).map((failure) => [failure.name, failure]));
  const merged = listed.map((test) => {
    const failure = isFailing(test) ? open.get(test.name) : undefined;
    if (failure === undefined) return test;
    open.delete(test.name);
    return { ...test, ...(failure.error === undefined ? {} : { error: failure.error }) };
  });
  return [...open.values(), ...merged];
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
