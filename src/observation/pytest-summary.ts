import type { TestDetail, TestStatus } from '../model/test-results.js';
import { countedWords, sumOf } from './counted-words.js';
import {
  addCounts,
  brokenSuite,
  distinct,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';

const WORDS: ReadonlySet<string> = new Set(
  'failed passed skipped xfailed xpassed warning warnings error errors deselected rerun'
    .split(' ')
    .concat('subtests passed', 'subtests failed'),
);
const STATUS: Readonly<Record<string, TestStatus>> = {
  PASSED: 'passed',
  XPASS: 'passed',
  FAILED: 'failed',
  ERROR: 'error',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
};

/** A session with its heading and its summaries; the first may have lost its heading to `-q` or to a `tail`. */
interface Session {
  readonly hasHeading: boolean;
  readonly summaries: { readonly isBarred: boolean; readonly counts: TestCounts }[];
}

/**
 * pytest. An error in a fixture or while collecting is a failure. A failure that is expected (xfail) says nothing about the
 * code and counts as skipped; one that did not come (xpass) fails the run only when strict, and then pytest says "failed".
 */
export function pytestSummary(lines: readonly string[]): Reading {
  const sessions = sessionsIn(lines).filter((session) => session.hasHeading || session.summaries.length > 0);
  if (sessions.length === 0) return undefined;
  const details = distinct(lines.flatMap(testIn));
  const sum = addCounts(sessions.flatMap(countsOf));
  const isWhole = sessions.every((session) => session.summaries.length > 0);
  return isWhole || sum.failed > 0 ? parsedTests('pytest', sum, details) : unfinishedTests('pytest', details);
}

function sessionsIn(lines: readonly string[]): readonly Session[] {
  const sessions: Session[] = [{ hasHeading: false, summaries: [] }];
  for (const line of lines) {
    if (/^=+ test session starts =+$/.test(line)) sessions.push({ hasHeading: true, summaries: [] });
    sessions.at(-1)?.summaries.push(...summaryIn(line));
  }
  return sessions;
}

/** With bars there is one summary to a session, the last: what a test printed comes before. `-q` has no bars, nor headings. */
function countsOf({ summaries }: Session): readonly TestCounts[] {
  const last = summaries.at(-1);
  if (last === undefined || last.isBarred) return last === undefined ? [] : [last.counts];
  return summaries.filter(({ isBarred }) => !isBarred).map(({ counts }) => counts);
}

function summaryIn(line: string): Session['summaries'] {
  const barred = /^=+ ([^=]*) =+$/.exec(line)?.[1];
  const [, text] = /^(.*) in \d[\d.]*s(?: \(\d[\d:, a-z]*\))?$/.exec(barred ?? line) ?? [];
  if (text === undefined) return [];
  const words = text === 'no tests ran' ? new Map<string, number>() : countedWords(text, ', ', WORDS);
  if (words === undefined) return [];
  const counts = {
    passed: sumOf(words, 'passed', 'xpassed'),
    failed: sumOf(words, 'failed', 'error', 'errors', 'subtests failed'),
    skipped: sumOf(words, 'skipped', 'xfailed'),
  };
  return [{ isBarred: barred !== undefined, counts }];
}

/** Examples in a document are tests, too: `README.md::README.md`. */
const FILE = /\.py\b|^\S[^:]*\.\w+::\S/;

/** "FAILED test_sum.py::test_wrong - why" of the short summary, or "test_sum.py::test_wrong FAILED [ 66%]" of -v. */
function testIn(line: string): readonly TestDetail[] {
  const [, status, rest = ''] = /^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S.*)$/.exec(line) ?? [];
  if (status !== undefined && FILE.test(rest)) {
    const bracket = rest.indexOf('] - ');
    const end = bracket >= 0 ? bracket + 1 : rest.indexOf(' - ');
    const name = end < 0 ? rest : rest.slice(0, end);
    const error = end < 0 || !isFailure(status) ? undefined : rest.slice(end + 3);
    // A file that could not be collected.
    if (status === 'ERROR' && !name.includes('::')) return [brokenSuite(name, error)];
    return [testDetail(name, STATUS[status] ?? 'failed', { error })];
  }
  const [, name = '', outcome = ''] = /^(.*) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: |$)/.exec(line) ?? [];
  return FILE.test(name) && name.includes('::') && line.endsWith('%]')
    ? [testDetail(name, STATUS[outcome] ?? 'failed')]
    : [];
}

function isFailure(status: string): boolean {
  return status === 'FAILED' || status === 'ERROR';
}
