import { type Fields, fieldsAt, jsonObject, listAt, numberAt, textAt } from '../agents/agent-events.js';
import { isFailing, type TestDetail, type TestStatus } from '../model/test-results.js';
import {
  addCounts,
  brokenSuite,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';

const STATUS: ReadonlyMap<string, TestStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
]);

/** The JSON reports of jest and vitest, which are the same but for details. A report that is cut off is none. */
export function jsonReport(lines: readonly string[]): Reading {
  const reports = reportsIn(lines);
  const [first] = reports;
  if (first === undefined) return lines.some(isCutOff) ? 'unfinished' : undefined;
  if (lines.some(isCutOff)) return unfinishedTests('jest', reports.flatMap(detailsOf));
  const framework = numberAt(first, 'numRuntimeErrorTestSuites') === undefined ? 'vitest' : 'jest';
  return parsedTests(framework, addCounts(reports.map(countsOf)), reports.flatMap(detailsOf));
}

/** Both begin their report with a count of suites, in whatever order. */
function isCutOff(line: string): boolean {
  return /^\{"num[A-Z]\w*TestSuites":/.test(line) && jsonObject(line) === undefined;
}

/** On one line, or spread over lines between a bare "{" and a bare "}". */
function reportsIn(lines: readonly string[]): readonly Fields[] {
  const reports: Fields[] = [];
  let start: number | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('{"')) reports.push(...reportIn(line));
    if (line === '{') start = index;
    if (line !== '}' || start === undefined) continue;
    reports.push(...reportIn(lines.slice(start, index + 1).join('\n')));
    start = undefined;
  }
  return reports;
}

function reportIn(text: string): readonly Fields[] {
  if (!text.includes('"numTotalTests"') || !text.includes('"testResults"')) return [];
  const fields = jsonObject(text);
  const isReport = numberAt(fields, 'numTotalTests') !== undefined && fieldsAt(fields, 'snapshot') !== undefined;
  return fields === undefined || !isReport ? [] : [fields];
}

/** A file that could not be run has no failing test, yet is red. So is a run that says so of itself. */
function countsOf(report: Fields): TestCounts {
  const countIn = (key: string) => numberAt(report, key) ?? 0;
  const failed = countIn('numFailedTests') + listAt(report, 'testResults').filter(isBroken).length;
  return {
    passed: countIn('numPassedTests'),
    failed: report['success'] === false ? Math.max(1, failed) : failed,
    skipped: countIn('numPendingTests') + countIn('numTodoTests'),
  };
}

function isBroken(file: Fields): boolean {
  return textAt(file, 'status') === 'failed' && !testsOf(file).some(isFailing);
}

function detailsOf(report: Fields): readonly TestDetail[] {
  return listAt(report, 'testResults').flatMap((file) => {
    const broken = isBroken(file) ? [brokenSuite(textAt(file, 'name') ?? 'suite', textAt(file, 'message'))] : [];
    return [...testsOf(file), ...broken];
  });
}

function testsOf(file: Fields): readonly TestDetail[] {
  return listAt(file, 'assertionResults').map((test) => {
    const ancestors: unknown = test['ancestorTitles'];
    const path = Array.isArray(ancestors) ? ancestors.filter((title) => typeof title === 'string') : [];
    const messages: unknown = test['failureMessages'];
    const error: unknown = Array.isArray(messages) ? messages[0] : undefined;
    return testDetail(
      [...path, textAt(test, 'title') ?? ''].join(' > '),
      STATUS.get(textAt(test, 'status') ?? '') ?? 'skipped',
      {
        error: typeof error === 'string' ? error : undefined,
        durationMs: numberAt(test, 'duration'),
      },
    );
  });
}
