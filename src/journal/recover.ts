import { reduce } from '../model/reduce.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { type Disk, freeName, NODE_DISK, OPEN_TO_READ, openNewFile, readFully, writeFully } from './disk.js';
import {
  decodeRecord,
  MAX_LINE_BYTES,
  sumOfLine,
  RecordScanner,
  CHUNK_BYTES,
  scanDescriptor,
} from './record-scanner.js';
import { SNAPSHOT_NAME } from './run-places.js';
import { type JournalPosition, readSnapshot, type StoredSnapshot } from './snapshot.js';
import type { Upgrades } from './upgrade.js';

const NEWLINE = 0x0a;

/** What was cut off the end of a journal when it was opened for writing. */
export interface RecoveredTail {
  /** Of the first bad line, from 1. */
  readonly line: number;
  readonly bytes: number;
  readonly what: string;
  /** Whole records that cannot be used any more. */
  readonly lostRecords: number;
  /** The file that has the bytes, or what is left of them, now. */
  readonly savedTo: string;
}

export interface Recovered {
  readonly state: RunState;
  readonly position: JournalPosition;
  readonly tail?: RecoveredTail;
  /** Whether everything was read, or only what follows the snapshot. */
  readonly fromSnapshot: boolean;
  /** Nothing follows the snapshot: it need not be taken again. */
  readonly isSnapshotCurrent?: true;
}

export interface RecoverRequest {
  readonly disk: Disk;
  /** Open for reading and writing, under the lock. */
  readonly descriptor: number;
  readonly path: string;
  readonly runId: string;
  readonly snapshotPath: string;
  readonly upgrades?: Upgrades | undefined;
}

const BEGINNING = {
  state: INITIAL_STATE,
  position: { seq: 0, offset: 0, lineBytes: 0, lineSum: '' },
} satisfies Pick<Recovered, 'state' | 'position'>;

/** J2, for the writer: state = snapshot + the rest of the journal; a torn tail is saved next to it and cut off. */
export function recover(request: RecoverRequest): Recovered {
  const { disk, descriptor, path, upgrades } = request;
  const snapshot = snapshotOf(request);
  const start = usableSnapshot(request, snapshot) ?? BEGINNING;
  const scanner = new RecordScanner({
    path,
    seq: start.position.seq,
    offset: start.position.offset,
    // A snapshot is taken of what is synced; how much of the rest was, no one knows.
    isUnsynced: start !== BEGINNING,
    upgrades,
  });
  let { state } = start;
  scanDescriptor(disk, descriptor, scanner, (event) => {
    state = reduce(state, event);
  });
  const torn = scanner.end();
  const position =
    scanner.lineBytes === 0
      ? start.position
      : positionAt(disk, descriptor, { seq: scanner.seq, offset: scanner.offset, lineBytes: scanner.lineBytes });
  const fromSnapshot = start !== BEGINNING;
  const gone = recordsGone(request, snapshot, scanner.seq);
  if (torn === undefined) {
    const current = fromSnapshot && position === start.position ? { isSnapshotCurrent: true as const } : {};
    return { state, position, fromSnapshot, ...current, ...(gone === undefined ? {} : { tail: gone }) };
  }
  const { savedTo } = saveAndCut(disk, descriptor, path, torn);
  const { line, bytes, what } = torn;
  const lostRecords = Math.max(torn.lostRecords, gone?.lostRecords ?? 0);
  return { state, position, fromSnapshot, tail: { line, bytes, what, lostRecords, savedTo } };
}

/**
 * A snapshot is taken of what is synced. One that is ahead of the journal proves that records were taken away; it is all
 * that is left of them, and is kept.
 */
function recordsGone(
  { disk, snapshotPath }: RecoverRequest,
  snapshot: StoredSnapshot | undefined,
  lastSeq: number,
): RecoveredTail | undefined {
  if (snapshot === undefined || snapshot.seq <= lastSeq) return undefined;
  const savedTo = freeName(disk, `${snapshotPath}.ahead`);
  disk.linkSync(snapshotPath, savedTo);
  const { seq } = snapshot;
  const what = `records up to ${seq} were here, as ${SNAPSHOT_NAME} shows, and only ${lastSeq} are left`;
  return { line: lastSeq + 1, bytes: 0, what, lostRecords: seq - lastSeq, savedTo };
}

function positionAt(
  disk: Disk,
  descriptor: number,
  at: Pick<JournalPosition, 'seq' | 'offset' | 'lineBytes'>,
): JournalPosition {
  const line = readLine(disk, descriptor, at);
  return { ...at, lineSum: sumOfLine(line) };
}

/** The last line before a position, without its newline. */
function readLine(disk: Disk, descriptor: number, at: Pick<JournalPosition, 'offset' | 'lineBytes'>): Buffer {
  const line = Buffer.alloc(at.lineBytes);
  readFully(disk, descriptor, line, at.offset - at.lineBytes);
  return line.subarray(0, -1);
}

/** The snapshot, when the journal still has the very bytes that it was taken after. */
function usableSnapshot(
  { disk, descriptor }: RecoverRequest,
  snapshot: StoredSnapshot | undefined,
): typeof BEGINNING | undefined {
  if (snapshot === undefined) return undefined;
  const { seq, offset, lineBytes, lineSum, state } = snapshot;
  if (state?.seq !== seq) return undefined;
  const position = { seq, offset, lineBytes, lineSum };
  return isAfter(disk, descriptor, position) ? { state, position } : undefined;
}

function snapshotOf({ disk, runId, snapshotPath }: RecoverRequest): StoredSnapshot | undefined {
  const snapshot = readSnapshot(snapshotPath, disk);
  return snapshot?.runId === runId ? snapshot : undefined;
}

/** The state at the end of a journal from its snapshot and what follows, without a look at what is before; undefined if that cannot be done. */
export function stateSince(
  { seq, offset, lineBytes, lineSum, state }: StoredSnapshot,
  path: string,
): RunState | undefined {
  const disk = NODE_DISK;
  let descriptor: number | undefined;
  try {
    descriptor = disk.openSync(path, OPEN_TO_READ);
    if (state?.seq !== seq || !isAfter(disk, descriptor, { seq, offset, lineBytes, lineSum })) return undefined;
    let last = state;
    const scanner = new RecordScanner({ path, seq, offset });
    scanDescriptor(disk, descriptor, scanner, (event) => {
      last = reduce(last, event);
    });
    const torn = scanner.end();
    return torn === undefined || torn.incomplete ? last : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) disk.closeSync(descriptor);
  }
}

function isAfter(disk: Disk, descriptor: number, position: JournalPosition): boolean {
  const { seq, offset, lineBytes, lineSum } = position;
  if (lineBytes === 0 || lineBytes > offset || lineBytes > MAX_LINE_BYTES + 1) return false;
  const last = Buffer.alloc(1);
  readFully(disk, descriptor, last, offset - 1);
  if (last[0] !== NEWLINE) return false;
  const line = readLine(disk, descriptor, position);
  if (sumOfLine(line) !== lineSum) return false;
  const record = decodeRecord(line);
  return typeof record === 'object' && record.seq === seq;
}

/** Copies the end of a file to a new one next to it, for people to look at, and cuts it off. */
export function saveAndCut(
  disk: Disk,
  descriptor: number,
  path: string,
  end: { readonly offset: number; readonly bytes: number },
): { readonly savedTo: string } {
  const savedTo = freeName(disk, `${path}.cut`);
  const saved = openNewFile(disk, savedTo);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let done = 0; done < end.bytes; ) {
      const count = readFully(disk, descriptor, chunk, end.offset + done);
      if (count === 0) break;
      writeFully(disk, saved, chunk.subarray(0, count), done);
      done += count;
    }
    disk.fdatasyncSync(saved);
  } finally {
    disk.closeSync(saved);
  }
  disk.ftruncateSync(descriptor, end.offset);
  disk.fdatasyncSync(descriptor);
  return { savedTo };
}
