import { isFailing, type TestDetail } from '../model/test-results.js';
import { wholeNumber } from './counted-words.js';
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

const PASSING = /^ {2}(\d+) passing \([^()]*\)$/;

/** mocha: "3 passing (2ms)", then lines of those pending and failing where there are any. */
export function mochaSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((_, index) => summaryAt(lines, index));
  const listed = listedIn(lines);
  if (summaries.length === 0) {
    const isMocha = listed.some(isPassed) && listed.some(isFailing);
    return isMocha ? unfinishedTests('mocha', distinct(listed)) : undefined;
  }
  const sum = addCounts(summaries);
  // A failing test has its number in the list: the line that counts it has been cut off.
  if (sum.failed === 0 && listed.some(isFailing)) return 'unfinished';
  const failures = lines.flatMap((_, index) => failureAt(lines, index));
  const others = listed.filter((test) => !isFailing(test));
  return parsedTests('mocha', sum, listedOnce([...failures, ...others], [], sum));
}

function isPassed(detail: TestDetail): boolean {
  return detail.status === 'passed';
}

function summaryAt(lines: readonly string[], index: number): readonly TestCounts[] {
  const passing = PASSING.exec(lines[index] ?? '')?.[1];
  if (passing === undefined) return [];
  const after = lines.slice(index + 1, index + 3);
  const countOf = (word: string) =>
    after.reduce((sum, line) => sum + wholeNumber(new RegExp(`^ {2}(\\d+) ${word}$`).exec(line)?.[1]), 0);
  return [{ passed: wholeNumber(passing), failed: countOf('failing'), skipped: countOf('pending') }];
}

/** "  1) sum", then a line for each step down to the test, the last with a colon. */
function failureAt(lines: readonly string[], index: number): readonly TestDetail[] {
  const first = /^ {2}\d+\) (.*)$/.exec(lines[index] ?? '')?.[1];
  if (first === undefined) return [];
  const steps = [first];
  let next = index + 1;
  while (!steps.at(-1)?.endsWith(':') && /^ {7}/.test(lines[next] ?? '') && steps.length < 20)
    steps.push((lines[next++] ?? '').trim());
  const name = steps.join(' > ');
  return name.endsWith(':') ? [testDetail(name.slice(0, -1), 'failed', { error: lines[next] })] : [];
}

function listedIn(lines: readonly string[]): readonly TestDetail[] {
  return testTree(lines, (text) => {
    const [, mark, rest = ''] = /^([✔✓-]|\d+\)) (.*)$/.exec(text) ?? [];
    if (mark === undefined || rest.endsWith(':')) return undefined;
    const [, name = rest, duration] = /^(.*) \((\d+)ms\)$/.exec(rest) ?? [];
    if (mark === '-') return testDetail(name, 'skipped');
    const durationMs = duration === undefined ? undefined : Number(duration);
    return testDetail(name, mark === '✔' || mark === '✓' ? 'passed' : 'failed', { durationMs });
  });
}
