import type { TestDetail, TestStatus } from '../model/test-results.js';
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

const STATUS: Readonly<Record<string, TestStatus>> = {
  '(pass)': 'passed',
  '✓': 'passed',
  '(fail)': 'failed',
  '✗': 'failed',
  '(skip)': 'skipped',
  '»': 'skipped',
  '(todo)': 'skipped',
  '✎': 'skipped',
};

/** `bun test`: a line for each count, then "Ran 5 tests across 1 file." */
export function bunSummary(lines: readonly string[]): Reading {
  const starts = lines.filter((line) => /^bun test v\d/.test(line)).length;
  const summaries = lines.flatMap((line, index) =>
    /^Ran \d+ tests? across \d+ files?\./.test(line) ? summaryAbove(lines, index) : [],
  );
  const details = distinct(lines.flatMap(testIn));
  const sum = addCounts(summaries);
  if (summaries.length > 0 && (summaries.length >= starts || sum.failed > 0)) return parsedTests('bun', sum, details);
  if (starts === 0) return undefined;
  return lines.some((line) => /^(?:The following filters did not match any test files|No tests found!)/.test(line))
    ? parsedTests('bun', { passed: 0, failed: 0, skipped: 0 }, [])
    : unfinishedTests('bun', details);
}

/** An error between tests is counted as a failure as well; it is one where it is not. */
function summaryAbove(lines: readonly string[], index: number): readonly TestCounts[] {
  const counts = new Map<string, number>();
  for (let above = index - 1; above >= 0 && above > index - 10; above -= 1) {
    const [, count, word] =
      /^ *(\d+) (pass|fail|skip|todo|filtered out|errors?|snapshots?|expect\(\) calls)\b/.exec(lines[above] ?? '') ??
      [];
    if (word === undefined) break;
    counts.set(word.replace(/^errors$/, 'error'), wholeNumber(count));
  }
  const countOf = (word: string) => counts.get(word) ?? 0;
  if (!counts.has('pass')) return [];
  const failed = Math.max(countOf('fail'), countOf('error'));
  return [{ passed: countOf('pass'), failed, skipped: countOf('skip') + countOf('todo') }];
}

function testIn(line: string): readonly TestDetail[] {
  const [, mark = '', rest = ''] = /^(\((?:pass|fail|skip|todo)\)|[✓✗»✎]) (.*)$/.exec(line) ?? [];
  const status = STATUS[mark];
  if (status === undefined) return [];
  const [, name = rest, duration] = /^(.*) \[([\d.]+)ms\]$/.exec(rest) ?? [];
  return [testDetail(name, status, { durationMs: duration === undefined ? undefined : Number(duration) })];
}
