import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, NODE_DISK, onDisk } from '../journal/disk.js';
import { readJournal } from '../journal/read-journal.js';
import { findRunPlaces, JOURNAL_NAME, projectRuns, type RecordsPlace } from '../journal/run-places.js';
import { tailJournal } from '../journal/tail-journal.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import type { RunEvent } from '../model/run-event.js';
import { runInBackground } from '../setup/run-in-background.js';
import { printable } from '../words/printable.js';
import type { Surroundings } from './surroundings.js';

const LOG_NAME = 'detached.log';
/** Each resume adds to it what a bounded terminal lets through. */
const MOST_LOG_BYTES = 4 * 1024 * 1024;
/** The flag by which the process in the background knows that it is the one, and of which run. */
export const DETACHED_FLAG = '--detached-run';

export interface BackgroundRequest {
  readonly runId: string;
  readonly workingDir: string;
  /** Where a new record is to be. */
  readonly records?: RecordsPlace | undefined;
  /** Number of the last event that is recorded already. */
  readonly lastSeq: number;
  /** The command line of the process in the background (default: that of this one). */
  readonly words?: readonly string[] | undefined;
  /** The command that it begins with, where that is not one word. */
  readonly command?: readonly string[] | undefined;
}

/** What came of it. */
export type InBackground =
  | { readonly kind: 'begun'; readonly runId: string; readonly pid: number; readonly log: string }
  | { readonly kind: 'not-begun'; readonly why: string; readonly exitCode: ExitCode };

export type Begun = Extract<InBackground, { readonly kind: 'begun' }>;

/** Starts the process in the background and waits until the run has begun there, or the process has given up. */
export async function beginInBackground(request: BackgroundRequest, context: Surroundings): Promise<InBackground> {
  const { runId, workingDir, records } = request;
  const { record } = findRunPlaces(workingDir, runId, context.environment, records);
  const folder = makeFolder(NODE_DISK, record, 'refuse');
  const log = openLog(join(folder, LOG_NAME));
  const all = request.words ?? process.argv.slice(2);
  const depth = request.command?.length ?? 1;
  const words = [...all.slice(0, depth), DETACHED_FLAG, runId, ...all.slice(depth)];
  const child = await runInBackground(words, log.descriptor, context);
  const exit = new AbortController();
  const exited = child.exited.then((code) => {
    exit.abort();
    return { code };
  });
  const begun = await hasBegun(join(folder, JOURNAL_NAME), request.lastSeq, exit.signal, context.now());
  const ended = begun ? undefined : await exited;
  child.release();
  closeSync(log.descriptor);
  const linked = join(projectRuns(workingDir), runId, LOG_NAME);
  if (ended === undefined) return { kind: 'begun', runId, pid: child.pid, log: existsSync(linked) ? linked : log.path };
  return { kind: 'not-begun', why: whyNotBegun(log), exitCode: exitCodeOf(ended.code) };
}

interface Log {
  readonly path: string;
  readonly descriptor: number;
  /** Where it began this time. */
  readonly offset: number;
}

function openLog(path: string): Log {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  return onDisk('open', path, () => {
    const descriptor = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
    if (fstatSync(descriptor).size > MOST_LOG_BYTES) ftruncateSync(descriptor);
    return { path, descriptor, offset: fstatSync(descriptor).size };
  });
}

/** Whether the run is recorded as begun; no, when its process has ended before. */
async function hasBegun(path: string, lastSeq: number, exited: AbortSignal, nowMs: number): Promise<boolean> {
  const sinceMs = nowMs - 1000;
  const isBeginning = ({ type, at }: RunEvent) =>
    (type === 'run-started' || type === 'run-resumed') && Date.parse(at) >= sinceMs;
  const fromSeq = lastSeq + 1;
  for await (const event of tailJournal(path, { fromSeq, signal: exited, pollMs: 50 })) {
    if (isBeginning(event)) return true;
  }
  // It has gone since: what it left is inspected again.
  if (!existsSync(path)) return false;
  for await (const event of readJournal(path, { fromSeq, onTorn: () => undefined })) {
    if (isBeginning(event)) return true;
  }
  return false;
}

/** What it said before it gave up. A log of nothing else is not left behind, nor are the folders made for it. */
function whyNotBegun({ path, offset }: Log): string {
  const said = readFileSync(path).subarray(offset).toString('utf8').trim();
  if (offset === 0) removeLog(path);
  return said === '' ? 'pawl: the background process ended before the run started' : printable(said);
}

function removeLog(path: string): void {
  try {
    unlinkSync(path);
    for (let folder = dirname(path), level = 0; level < 3; level += 1, folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // What is not empty belongs to others.
  }
}

function exitCodeOf(code: number | undefined): ExitCode {
  return Object.values(EXIT_CODES).find((known) => known === code && known !== EXIT_CODES.goal) ?? EXIT_CODES.error;
}
