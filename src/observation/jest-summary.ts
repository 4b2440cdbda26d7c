import { isFailing, type TestDetail } from '../model/test-results.js';
import { countedWords, sumOf, wholeNumber } from './counted-words.js';
import {
  addCounts,
  distinct,
  listedOnce,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';
import { testTree } from './test-tree.js';

const WORDS: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped', 'todo', 'pending', 'total']);
const BROKEN_SUITE = 'Test suite failed to run';

/** The summary of jest is trusted only whole: a line of suites, and at once one of tests. */
export function jestSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((line, index) => summaryAt(line, lines[index + 1] ?? ''));
  const [failures, listed] = [failuresIn(lines), listedIn(lines)];
  if (summaries.length > 0) {
    const counts = withBrokenSuites(summaries, lines);
    return parsedTests('jest', counts, listedOnce(listed, failures, counts));
  }
  const details = distinct([...failures, ...listed]);
  if (lines.some((line) => /^No tests found, exiting with code \d/.test(line)))
    return parsedTests('jest', { passed: 0, failed: 0, skipped: 0 }, []);
  const isJest = lines.some((line) => /^ ?FAIL +\S/.test(line)) && details.some(isFailing);
  return isJest ? unfinishedTests('jest', details) : undefined;
}

interface Summary extends TestCounts {
  readonly failedSuites: number;
}

function summaryAt(line: string, next: string): readonly Summary[] {
  const suites = /^Test Suites: +(.*) total$/.exec(line)?.[1];
  const tests = /^Tests: +(.*) total$/.exec(next)?.[1];
  const words = tests === undefined ? undefined : countedWords(`${tests} total`, ', ', WORDS);
  if (suites === undefined || words === undefined) return [];
  const counts = { passed: sumOf(words, 'passed'), failed: sumOf(words, 'failed') };
  const failedSuites = wholeNumber(/(?:^|, )(\d+) failed/.exec(suites)?.[1]);
  return [{ ...counts, skipped: sumOf(words, 'skipped', 'todo', 'pending'), failedSuites }];
}

/** A suite that could not run has no failing test, yet is red. */
function withBrokenSuites(summaries: readonly Summary[], lines: readonly string[]): TestCounts {
  const sum = addCounts(summaries);
  const broken = lines.filter((line) => line.trim() === `● ${BROKEN_SUITE}`).length;
  const failedSuites = summaries.reduce((count, summary) => count + summary.failedSuites, 0);
  const failed = sum.failed + Math.min(broken, failedSuites);
  return { ...sum, failed: failed === 0 ? failedSuites : failed };
}

/** "  ● sum › deep › fails too", and some lines down why. */
function failuresIn(lines: readonly string[]): readonly TestDetail[] {
  return lines.flatMap((line, index) => {
    const name = /^ {2}● (.*)$/.exec(line)?.[1];
    if (name === undefined || name === BROKEN_SUITE || name === 'Console' || name.endsWith(':')) return [];
    const error = lines.slice(index + 1, index + 5).find((next) => next.trim() !== '');
    return [testDetail(name.split(' › ').join(' > '), 'failed', { error })];
  });
}

/** In colours the verdict on a file has a space before it, which makes it no group. */
function atMargin(line: string): string {
  return /^ (?:PASS|FAIL) /.test(line) ? line.trimStart() : line;
}

/** The tests of each file, below its "PASS test/sum.test.js". */
function listedIn(lines: readonly string[]): readonly TestDetail[] {
  const margins = lines.map(atMargin);
  const starts = margins.flatMap((line, index) => (FILE.test(line) ? [index] : []));
  return starts.flatMap((start, index) => {
    const file = FILE.exec(margins[start] ?? '')?.[1];
    return testTree(margins.slice(start + 1, starts[index + 1]), testIn).map((test) => ({ ...test, file }));
  });
}

const FILE = /^(?:PASS|FAIL) (?:\S+ )??(\S+\.[a-z]+)(?: \([\d.]+ m?s\))?$/;

function testIn(text: string): TestDetail | undefined {
  const [, mark, rest = ''] = /^([✓✕○✎]) (.*)$/.exec(text) ?? [];
  const [, name = rest, duration, unit] = /^(.*) \(([\d.]+) (m?s)\)$/.exec(rest) ?? [];
  const durationMs = duration === undefined ? undefined : Number(duration) * (unit === 's' ? 1000 : 1);
  if (mark === '✓') return testDetail(name, 'passed', { durationMs });
  if (mark === '✕') return testDetail(name, 'failed', { durationMs });
  return mark === undefined ? undefined : testDetail(rest.replace(/^(?:skipped|todo) /, ''), 'skipped');
}
