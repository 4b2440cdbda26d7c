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

const HEADING = /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.*)$/;
const OUTCOME = /^(.*) \.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b/;
const STATUS: Readonly<Record<string, TestStatus>> = {
  ok: 'passed',
  skipped: 'skipped',
  'expected failure': 'skipped',
};

/** Python's unittest: "Ran 7 tests in 0.001s", and two lines down the verdict. Neither is trusted without the other. */
export function unittestSummary(lines: readonly string[]): Reading {
  const summaries = lines.flatMap((_, index) => summaryAt(lines, index));
  const failures = lines.flatMap((line, index) => failureAt(lines, line, index));
  const details = distinct([...failures, ...lines.flatMap((line, index) => outcomeIn(line, lines[index - 1]))]);
  if (summaries.length === 0) return failures.length > 0 ? unfinishedTests('unittest', details) : undefined;
  return parsedTests('unittest', addCounts(summaries), details);
}

/** A test with failing subtests ran once, but counts as often as it failed. */
function summaryAt(lines: readonly string[], index: number): readonly TestCounts[] {
  const ran = /^Ran (\d+) tests? in [\d.]+s$/.exec(lines[index] ?? '')?.[1];
  const verdict = lines.slice(index + 1, index + 4).find((line) => line !== '');
  const [, word, remarks = ''] = /^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/.exec(verdict ?? '') ?? [];
  if (ran === undefined || word === undefined) return [];
  const counts = new Map(
    remarks.split(', ').map((remark) => [remark.split('=')[0], wholeNumber(remark.split('=')[1])]),
  );
  const countOf = (...names: readonly string[]) => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const counted = countOf('failures', 'errors', 'unexpected successes');
  const failed = word === 'FAILED' ? Math.max(1, counted) : counted;
  const skipped = countOf('skipped', 'expected failures');
  return [{ passed: Math.max(0, wholeNumber(ran) - failed - skipped), failed, skipped }];
}

/** Its heading stands between a double and a single rule, and the last line of the traceback says why. */
function failureAt(lines: readonly string[], line: string, index: number): readonly TestDetail[] {
  const name = HEADING.exec(line)?.[1];
  if (name === undefined || !/^={10,}$/.test(lines[index - 1] ?? '')) return [];
  let end = index + 2;
  while (end < lines.length && end < index + 200 && !/^(?:={10,}|-{10,})$/.test(lines[end] ?? '')) end += 1;
  const isExplained = !line.startsWith('UNEXPECTED');
  const error = isExplained ? lines.slice(index + 2, end).findLast((text) => text.trim() !== '') : undefined;
  const detail = testDetail(dottedName(name), line.startsWith('ERROR') ? 'error' : 'failed', { error });
  // A module that cannot be imported, or a class that cannot be set up.
  const isSuite = /^(?:\w+ \(unittest\.loader\._FailedTest|(?:setUp|tearDown)(?:Class|Module) \()/.test(name);
  return [isSuite ? { ...detail, isSuite } : detail];
}

/** A test with a docstring has it on a second line, in front of the outcome. */
function outcomeIn(line: string, above = ''): readonly TestDetail[] {
  const [, text = '', outcome] = OUTCOME.exec(line) ?? [];
  if (outcome === undefined) return [];
  const name = [text, above].find((candidate) => /^\w+ \([\w.]+\)$/.test(candidate));
  return name === undefined ? [] : [testDetail(dottedName(name), STATUS[outcome] ?? 'failed')];
}

/** "test_adds (test_sum.Sum.test_adds)"; before Python 3.11 the test is not repeated in the brackets. */
function dottedName(name: string): string {
  const [, test = '', place = '', rest = ''] = /^(\w+) \(([\w.]+)\)(.*)$/.exec(name) ?? [];
  if (test === '') return name;
  return `${place === test || place.endsWith(`.${test}`) ? place : `${place}.${test}`}${rest}`;
}
