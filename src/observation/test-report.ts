import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../model/errors.js';
import { matchingFiles } from './matching-files.js';
import { locateInside, openInside } from './open-inside.js';
import { parseTestReport } from './parse-test-report.js';
import { addCounts, type ParsedTests } from './parsed-tests.js';

const MOST_BYTES = 32 * 1024 * 1024;

/** What the reports say. With a problem they do not say all of it, and nothing that they say is green. */
export interface ReportReading {
  readonly parsed?: ParsedTests | undefined;
  readonly problem?: string | undefined;
}

export interface AwaitedReport {
  read(): Promise<ReportReading>;
}

/**
 * Remembers what lies at the place of a report before the tests run. Only what differs afterwards was written by them: a
 * date alone can be set, and on some disks it is rounded to seconds.
 */
export async function awaitReport(workingDir: string, pattern: string): Promise<AwaitedReport> {
  const before = new Map<string, string>();
  for (const path of (await matchingFiles(workingDir, pattern)) ?? []) {
    // oxlint-disable-next-line no-await-in-loop -- a few files
    const located = await locateInside(workingDir, path);
    if (located.kind === 'file') before.set(path, stampOf(located.stats));
  }
  return { read: () => readReports(workingDir, pattern, before) };
}

async function readReports(
  workingDir: string,
  pattern: string,
  before: ReadonlyMap<string, string>,
): Promise<ReportReading> {
  const paths = await matchingFiles(workingDir, pattern);
  if (paths === undefined) return { problem: 'there are too many files to search' };
  const readings: ReportReading[] = [];
  let roomBytes = MOST_BYTES;
  for (const path of paths) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other keeps one of them in memory
    const report = await readReport(workingDir, path, before.get(path), roomBytes);
    roomBytes -= report?.bytes ?? 0;
    if (report !== undefined) readings.push(report);
  }
  if (readings.length === 0) return { problem: 'this run of the tests did not write it' };
  return together(readings);
}

/** Undefined when it is not there or is not of this run. */
async function readReport(
  workingDir: string,
  path: string,
  before: string | undefined,
  roomBytes: number,
): Promise<(ReportReading & { readonly bytes: number }) | undefined> {
  const opened = await openInside(workingDir, path);
  if (opened.kind === 'missing') return undefined;
  if (opened.kind === 'refused') return { problem: opened.why, bytes: 0 };
  if (opened.kind === 'other') return { problem: `${path} is ${opened.what}, not a file`, bytes: 0 };
  try {
    if (stampOf(opened.stats) === before) return undefined;
    const content = await readUpTo(opened.handle, roomBytes);
    if (content === undefined)
      return { problem: `${path} is too large: reports may have 32 MB together`, bytes: roomBytes };
    const parsed = parseTestReport(content.toString('utf8'));
    return parsed === undefined
      ? { problem: `${path} is not a whole report`, bytes: content.length }
      : { parsed, bytes: content.length };
  } catch (error) {
    return { problem: `${path} cannot be read: ${messageOf(error)}`, bytes: 0 };
  } finally {
    await opened.handle.close().catch(() => undefined);
  }
}

/** Undefined when there is more. */
async function readUpTo(handle: FileHandle, limitBytes: number): Promise<Buffer | undefined> {
  const { size } = await handle.stat();
  if (size > limitBytes) return undefined;
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other is the point
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length === buffer.length) return undefined;
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}

function together(readings: readonly ReportReading[]): ReportReading {
  const parsed = readings.flatMap((reading) => reading.parsed ?? []);
  const problem = readings.find((reading) => reading.problem !== undefined)?.problem;
  const counts = addCounts(parsed);
  // What is missing may be red, so only red is trusted.
  if (problem !== undefined && counts.failed === 0) return { problem };
  return {
    parsed: {
      framework: [...new Set(parsed.map((one) => one.framework))].join(', '),
      total: counts.passed + counts.failed + counts.skipped,
      ...counts,
      details: parsed.flatMap((one) => one.details),
    },
    problem,
  };
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
