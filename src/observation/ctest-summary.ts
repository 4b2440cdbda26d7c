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

const SUMMARY = /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/;
const LISTED = /^\t? *\d+ - (.*) \(([A-Za-z ]+)\)/;

/** ctest calls skipped tests passed: those it lists as not run are taken off. Disabled ones are not in its total. */
export function ctestSummary(lines: readonly string[]): Reading {
  const starts = lines.flatMap((line, index) => (line.startsWith('Test project ') ? [index] : []));
  const runs = starts.length === 0 ? [lines] : starts.map((start, index) => lines.slice(start, starts[index + 1]));
  const counts = runs.flatMap(countsOf);
  const details = distinct([...lines.flatMap(testIn), ...failuresIn(lines)]);
  const sum = addCounts(counts);
  if (counts.length === runs.length || sum.failed > 0) return parsedTests('ctest', sum, details);
  return starts.length === 0 ? undefined : unfinishedTests('ctest', details);
}

function countsOf(lines: readonly string[]): readonly TestCounts[] {
  if (lines.includes('No tests were found!!!')) return [{ passed: 0, failed: 0, skipped: 0 }];
  const match = lines.map((line) => SUMMARY.exec(line)).findLast((found) => found !== null);
  if (match === undefined || match === null) return [];
  const [failed, total] = [wholeNumber(match[1]), wholeNumber(match[2])];
  const reasons = listBelow(lines, 'The following tests did not run:').map(([, reason]) => reason);
  const skipped = reasons.filter((reason) => reason === 'Skipped').length;
  return [{ passed: Math.max(0, total - failed - skipped), failed, skipped: reasons.length }];
}

function failuresIn(lines: readonly string[]): readonly TestDetail[] {
  return listBelow(lines, 'The following tests FAILED:').map(([name, reason]) =>
    testDetail(name, 'failed', { error: reason }),
  );
}

/** Name and reason of each. */
function listBelow(lines: readonly string[], heading: string): readonly (readonly [string, string])[] {
  const entries: [string, string][] = [];
  let isBelow = false;
  for (const line of lines) {
    const [, name, reason] = LISTED.exec(line) ?? [];
    if (line === heading) isBelow = true;
    else if (name === undefined || reason === undefined) isBelow = false;
    else if (isBelow) entries.push([name, reason]);
  }
  return entries;
}

/** "2/7 Test #2: breaks ......***Failed    0.00 sec" */
function testIn(line: string): readonly TestDetail[] {
  const rest = /^ *\d+\/\d+ Test +#\d+: (.*) sec$/.exec(line)?.[1];
  const dots = rest?.indexOf(' ..') ?? -1;
  if (rest === undefined || dots < 0) return [];
  const outcome = rest.slice(dots).replace(/^[ .]*/, '');
  const seconds = Number(outcome.slice(outcome.lastIndexOf(' ') + 1));
  return [testDetail(rest.slice(0, dots), statusOf(outcome), { durationMs: seconds * 1000 })];
}

function statusOf(outcome: string): TestStatus {
  if (outcome.startsWith('Passed')) return 'passed';
  return /^\*\*\*(?:Skipped|Not Run \(Disabled\))/.test(outcome) ? 'skipped' : 'failed';
}
