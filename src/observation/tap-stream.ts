import { type FinalResults, Parser, type Result } from 'tap-parser';
import { isFailing, type TestDetail } from '../model/test-results.js';
import {
  addCounts,
  countDetails,
  isNamed,
  listedOnce,
  parsedTests,
  type Reading,
  type TestCounts,
  testDetail,
  unfinishedTests,
} from './parsed-tests.js';
import { fileOr, nodeTapList } from './node-tap-list.js';

const VERSION = /^TAP version \d+$/;

/**
 * TAP. A test with subtests is what they are, and only they are counted. A stream without its plan, or with fewer tests than
 * planned, has broken off.
 */
export function tapStream(lines: readonly string[]): Reading {
  const streams = streamsIn(lines).map(readStream);
  if (streams.length === 0) return undefined;
  const details = streams.flatMap((stream) => stream.details);
  const summaries = streams.flatMap(({ summary }) => summary ?? []);
  if (summaries.length === streams.length) {
    const counts = addCounts(summaries);
    const failures = details.filter(isFailing);
    const whole = parsedTests('tap', counts, listedOnce(nodeTapList(lines), failures, counts));
    return whole !== 'unfinished' && isNamed(whole) ? whole : parsedTests('tap', counts, details);
  }
  if (!streams.every((stream) => stream.isWhole)) return unfinishedTests('tap', details);
  const counts = streams.map((stream) => {
    const counted = countDetails(stream.details);
    return { ...counted, failed: stream.isRed ? Math.max(1, counted.failed) : counted.failed };
  });
  // The plan says how many there are.
  return parsedTests('tap', addCounts(counts), details);
}

/** Some producers leave the version out: then a plan and a numbered test have to be there, or a plan of no tests. */
function streamsIn(lines: readonly string[]): readonly (readonly string[])[] {
  const starts = lines.flatMap((line, index) => (VERSION.test(line) ? [index] : []));
  const before = lines.slice(0, starts[0]);
  const isEmptyPlan = before.some((line) => /^1\.\.0(?: #|$)/.test(line));
  const isPlanned = before.some((line) => /^1\.\.\d+(?: |$)/.test(line));
  const isTap = isEmptyPlan || (isPlanned && before.some((line) => /^(?:not )?ok \d/.test(line)));
  return [...(isTap ? [before] : []), ...starts.map((start, index) => lines.slice(start, starts[index + 1]))];
}

interface Stream {
  readonly details: readonly TestDetail[];
  readonly isWhole: boolean;
  readonly isRed: boolean;
  /** Of node:test, which counts its tests in comments below the plan. */
  readonly summary?: TestCounts | undefined;
}

function readStream(lines: readonly string[]): Stream {
  const details: TestDetail[] = [];
  let final: FinalResults | undefined;
  for (const event of eventsOf(lines)) {
    if (event[0] === 'assert') details.push(detailOf(event[1]));
    if (event[0] === 'complete') final = event[1];
  }
  const planned = final?.plan.end ?? undefined;
  const isBailedOut = lines.some((line) => /^ *Bail out!/.test(line));
  const isWhole = final !== undefined && !isBailedOut && planned !== undefined && planned <= final.count;
  const isRed = final?.ok !== true;
  // Node 20 numbers a test twice after a file without tests: a stream in which no test fails is not red for that.
  const hasFailed = isWhole && isRed && details.some(isFailing);
  return { details, isWhole, isRed, summary: isBailedOut ? undefined : summaryIn(lines, hasFailed) };
}

/** "# tests 5000", "# pass 4990" and so on. They count tests, too, that a long output has lost. */
function summaryIn(lines: readonly string[], isRed: boolean): TestCounts | undefined {
  const planAt = lines.findLastIndex((line) => /^1\.\.\d+$/.test(line));
  const counts = new Map(
    lines.slice(planAt + 1).flatMap((line) => {
      const [, word = '', count] = /^# (tests|pass|fail|cancelled|skipped|todo) +(\d+)$/.exec(line) ?? [];
      return count === undefined ? [] : [[word, Number(count)] as const];
    }),
  );
  const countOf = (word: string) => counts.get(word) ?? 0;
  if (planAt === -1 || !['tests', 'pass', 'fail', 'cancelled'].every((word) => counts.has(word))) return undefined;
  const failed = countOf('fail') + countOf('cancelled');
  return {
    passed: countOf('pass'),
    failed: isRed ? Math.max(1, failed) : failed,
    skipped: countOf('skipped') + countOf('todo'),
  };
}

/** The parser's time grows with the square of the depth: what lies deeper is left to the test above it. */
const DEEPEST = ' '.repeat(64);

/** The parser is not ours: should it throw, the stream has not been read. */
function eventsOf(lines: readonly string[]): ReturnType<typeof Parser.parse> {
  try {
    return Parser.parse(lines.filter((line) => !line.startsWith(DEEPEST)).join('\n'), { flat: true });
  } catch {
    return [];
  }
}

function detailOf(result: Result): TestDetail {
  const durationMs = result.time ?? undefined;
  if (result.skip !== false || result.todo !== false) return testDetail(result.name, 'skipped', { durationMs });
  if (result.ok) return testDetail(result.name, 'passed', { durationMs });
  return fileOr(testDetail(result.name, 'failed', { durationMs, error: errorOf(result.diag) }));
}

/** Producers put it in different places of the diagnostics. */
function errorOf(diagnostics: unknown): string | undefined {
  if (typeof diagnostics === 'string') return diagnostics;
  if (typeof diagnostics !== 'object' || diagnostics === null) return undefined;
  const { error, message } = diagnostics as { readonly error?: unknown; readonly message?: unknown };
  if (typeof message === 'string') return message;
  return errorOf(error);
}
