import { type FinalResults, Parser, type Result } from 'tap-parser';
import type { TestDetail } from '../model/test-results.js';
import { addCounts, countDetails, parsedTests, type Reading, testDetail, unfinishedTests } from './parsed-tests.js';

const VERSION = /^TAP version \d+$/;

/**
 * TAP. A test with subtests is what they are, and only they are counted. A stream without its plan, or with fewer tests than
 * planned, has broken off.
 */
export function tapStream(lines: readonly string[]): Reading {
  const streams = streamsIn(lines).map(readStream);
  if (streams.length === 0) return undefined;
  const details = streams.flatMap((stream) => stream.details);
  if (!streams.every((stream) => stream.isWhole)) return unfinishedTests('tap', details);
  const counts = streams.map((stream) => {
    const counted = countDetails(stream.details);
    return { ...counted, failed: stream.isRed ? Math.max(1, counted.failed) : counted.failed };
  });
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
  return { details, isWhole, isRed: final?.ok !== true };
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
  return testDetail(result.name, 'failed', { durationMs, error: errorOf(result.diag) });
}

/** Producers put it in different places of the diagnostics. */
function errorOf(diagnostics: unknown): string | undefined {
  if (typeof diagnostics === 'string') return diagnostics;
  if (typeof diagnostics !== 'object' || diagnostics === null) return undefined;
  const { error, message } = diagnostics as { readonly error?: unknown; readonly message?: unknown };
  if (typeof message === 'string') return message;
  return errorOf(error);
}
