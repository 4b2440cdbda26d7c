import type { TestDetail } from '../model/test-results.js';
import { wholeNumber } from './counted-words.js';
import {
  addCounts,
  distinct,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';

const VERDICT = /^(?:FAILURES!|ERRORS!|WARNINGS!|OK, but )/;

/** phpunit: "OK (2 tests, 2 assertions)", or a verdict and below it the counts. */
export function phpunitSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((line, index) => [
    ...plainSummary(line),
    ...countedSummary(line, lines[index + 1] ?? ''),
  ]);
  const details = distinct(failuresIn(lines));
  if (summaries.length > 0) return parsedTests('phpunit', addCounts(summaries), details);
  return lines.some((line) => /^PHPUnit \d/.test(line)) ? unfinishedTests('phpunit', details) : undefined;
}

function plainSummary(line: string): readonly TestCounts[] {
  if (line === 'No tests executed!') return [{ passed: 0, failed: 0, skipped: 0 }];
  const passed = /^OK \((\d+) tests?, \d+ assertions?\)$/.exec(line)?.[1];
  return passed === undefined ? [] : [{ passed: wholeNumber(passed), failed: 0, skipped: 0 }];
}

/**
 * A risky test passed. One with a warning (a class without tests, before phpunit 10) neither passed nor failed: it counts
 * as skipped, so that it makes nothing green.
 */
function countedSummary(verdict: string, line: string): readonly TestCounts[] {
  if (!VERDICT.test(verdict) || !/^Tests: \d+, Assertions: \d+/.test(line)) return [];
  const counts = new Map(
    line
      .replace(/\.$/, '')
      .split(', ')
      .map((part) => [part.split(': ')[0], wholeNumber(part.split(': ')[1])]),
  );
  const countOf = (...names: readonly string[]) => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const counted = countOf('Errors', 'Failures');
  const failed = /^(?:FAILURES|ERRORS)/.test(verdict) ? Math.max(1, counted) : counted;
  const warned = verdict.startsWith('WARNINGS') ? countOf('Warnings') : 0;
  const skipped = countOf('Skipped', 'Incomplete') + warned;
  return [{ passed: Math.max(0, countOf('Tests') - failed - skipped), failed, skipped }];
}

/** "There were 2 failures:", then "1) SumTest::testAdds" and why. */
function failuresIn(lines: readonly string[]): readonly TestDetail[] {
  const details: TestDetail[] = [];
  let status: TestDetail['status'] | undefined;
  for (const [index, line] of lines.entries()) {
    const section = /^There (?:was|were) \d+ (.*):$/.exec(line)?.[1];
    if (section !== undefined) status = sectionStatus(section);
    const name = status === undefined ? undefined : /^\d+\) (\S.*)$/.exec(line)?.[1];
    if (name?.includes('::') && status !== undefined)
      details.push(testDetail(name, status, { error: lines[index + 1] }));
  }
  return details;
}

function sectionStatus(section: string): TestDetail['status'] | undefined {
  if (/^errors?$/.test(section)) return 'error';
  return /^failures?$/.test(section) ? 'failed' : undefined;
}
