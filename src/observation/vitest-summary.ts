import type { TestDetail } from '../model/test-results.js';
import { countedWords, sumOf, wholeNumber } from './counted-words.js';
import {
  addCounts,
  countDetails,
  distinct,
  listedOnce,
  listedTests,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
} from './parsed-tests.js';

const WORDS: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped', 'todo', 'expected fail']);
/** Only the verbose reporter lists tests with their files. What a test prints seldom looks like that. */
const LISTED = /^ *([✓×✗↓□]) (\S.*?\.[cm]?[jt]sx?) > (.*)$/;
const REMARKS = /(?: \((?:retry|repeat) x\d+(?:, (?:retry|repeat) x\d+)?\)| \d+ms| \d+ MB heap used)+$/;

/** The summary of vitest: a line of files, one of tests, perhaps one of errors outside of any test. */
export function vitestSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((_, index) => summaryAt(lines, index));
  const failures = lines.flatMap((line, index) => failureAt(line, lines[index + 1]));
  const listed = lines.flatMap(listedIn);
  if (summaries.length > 0) {
    const counts = withBrokenSuites(summaries, lines);
    return parsedTests('vitest', counts, listedOnce(listed, failures, counts));
  }
  const isVitest = lines.some((line) => /^ *RUN +v\d/.test(line));
  if (!isVitest) return undefined;
  if (lines.some((line) => line.startsWith('No test files found')))
    return parsedTests('vitest', { passed: 0, failed: 0, skipped: 0 }, []);
  return unfinished(lines, distinct([...failures, ...listed]));
}

/** Before the summary each file that failed is named with its counts. */
function unfinished(lines: readonly string[], details: readonly TestDetail[]): Reading {
  const failed = lines.reduce(
    (sum, line) => sum + wholeNumber(/^ *❯ [^(|]* \(\d+ tests? \| (\d+) failed/.exec(line)?.[1]),
    0,
  );
  const named = countDetails(details);
  const counts = { ...named, failed: Math.max(failed, named.failed) };
  return counts.failed > 0 ? listedTests('vitest', counts, details) : 'unfinished';
}

interface Summary extends TestCounts {
  readonly failedFiles: number;
}

function summaryAt(lines: readonly string[], index: number): readonly Summary[] {
  const files = /^ *Test Files {2,}(.*)$/.exec(lines[index] ?? '')?.[1];
  const tests = /^ *Tests {2,}(.*)$/.exec(lines[index + 1] ?? '')?.[1];
  if (files === undefined || tests === undefined) return [];
  const words = wordsOf(tests);
  const isWhole = tests === 'no tests' || tests.endsWith(')');
  if (words === undefined || !isWhole) return [];
  const errors = wholeNumber(/^ *(?:Type )?Errors {2,}(\d+) errors?$/.exec(lines[index + 2] ?? '')?.[1]);
  const [passed, failed] = [sumOf(words, 'passed'), sumOf(words, 'failed') + errors];
  const total = wholeNumber(/\((\d+)\)$/.exec(tests)?.[1]);
  const skipped = Math.max(sumOf(words, 'skipped', 'todo', 'expected fail'), total - passed - sumOf(words, 'failed'));
  return [{ passed, failed, skipped, failedFiles: sumOf(wordsOf(files) ?? new Map(), 'failed') }];
}

/** "2 failed | 3 passed (5)"; none of them before "(5)" when the run broke off. */
function wordsOf(text: string): ReadonlyMap<string, number> | undefined {
  const parts = text.replace(/\(\d+\)$/, '').trim();
  return parts === '' || parts === 'no tests' ? new Map() : countedWords(parts, ' | ', WORDS);
}

/** A file that could not be loaded has no failing test, yet is red. */
function withBrokenSuites(summaries: readonly Summary[], lines: readonly string[]): TestCounts {
  const sum = addCounts(summaries);
  const broken = lines.reduce((count, line) => count + wholeNumber(/^⎯+ Failed Suites (\d+) ⎯+$/.exec(line)?.[1]), 0);
  const failedFiles = summaries.reduce((count, summary) => count + summary.failedFiles, 0);
  const failed = sum.failed + Math.min(broken, failedFiles);
  return { ...sum, failed: failed === 0 ? failedFiles : failed };
}

/** " FAIL  sum.test.ts > sum > subtracts", and below why. */
function failureAt(line: string, next: string | undefined): readonly TestDetail[] {
  const whole = /^ *FAIL {2}(.* > .*)$/.exec(line)?.[1];
  if (whole === undefined) return [];
  const [, file, name = whole] = /^(\S.*?\.[cm]?[jt]sx?) > (.*)$/.exec(whole) ?? [];
  return [testDetail(name, 'failed', { error: next, file })];
}

/** The verbose reporter names each test. The reports of vitest name tests without their file, and so do we. */
function listedIn(line: string): readonly TestDetail[] {
  const [, mark, file, rest] = LISTED.exec(line) ?? [];
  if (mark === undefined || rest === undefined) return [];
  const name = rest.replace(REMARKS, '');
  if (mark === '↓' || mark === '□') return [testDetail(name, 'skipped', { file })];
  const duration = / (\d+)ms/.exec(rest.slice(name.length))?.[1];
  const durationMs = duration === undefined ? undefined : Number(duration);
  return [testDetail(name, mark === '✓' ? 'passed' : 'failed', { durationMs, file })];
}
