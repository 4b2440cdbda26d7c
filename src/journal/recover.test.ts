import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../test/support/open-files.js';
import { JournalDamaged } from '../model/errors.js';
import { reduceAll } from '../model/reduce.js';
import type { NewEvent, RunEvent } from '../model/run-event.js';
import { NODE_DISK, OPEN_TO_WRITE } from './disk.js';
import { encodeRecord, MAX_LINE_BYTES, sumOfLine } from './record-scanner.js';
import { recover, type Recovered, stateSince } from './recover.js';
import { encodeSnapshot, type JournalPosition, readSnapshot } from './snapshot.js';

const RUN = 'loop_01TEST';
const SAID_NOTHING = { type: 'agent-said', text: '' } as const;
let folder: string;
let path: string;
const snapshotPath = () => join(folder, 'state.json');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-recover-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const encoded = (seq: number, event: NewEvent = { type: 'agent-said', text: `${seq}` }) =>
  encodeRecord(event, { seq, at: '2026-01-01T00:00:00.000Z', activeMs: seq });
const line = (seq: number, event?: NewEvent) => encoded(seq, event).line;
const lines = (from: number, until: number) =>
  Buffer.concat(Array.from({ length: until - from + 1 }, (_, index) => line(from + index)));
const stateAt = (seq: number) =>
  reduceAll(Array.from({ length: seq }, (_, index): RunEvent => encoded(index + 1).recorded));
const positionAt = (seq: number): JournalPosition => ({
  seq,
  offset: lines(1, seq).length,
  lineBytes: line(seq).length,
  lineSum: sumOfLine(line(seq).subarray(0, -1)),
});

/** A snapshot of the first so many records. */
function snap(seq: number, at = snapshotPath(), change: Partial<JournalPosition> = {}, runId = RUN): void {
  const position = { ...positionAt(seq), ...change };
  const bytes = encodeSnapshot({ runId, workingDir: folder }, stateAt(seq), position);
  writeFileSync(at, bytes ?? '');
}

function reopen(journal: Buffer): Recovered {
  writeFileSync(path, journal);
  const descriptor = NODE_DISK.openSync(path, OPEN_TO_WRITE);
  try {
    return recover({ disk: NODE_DISK, descriptor, path, runId: RUN, snapshotPath: snapshotPath() });
  } finally {
    NODE_DISK.closeSync(descriptor);
  }
}

describe('a journal that is opened again', () => {
  it('is empty when nothing was recorded', () => {
    const position = { seq: 0, offset: 0, lineBytes: 0, lineSum: '' };
    expect(reopen(Buffer.alloc(0))).toEqual({ state: stateAt(0), position, fromSnapshot: false });
  });

  it('is folded from its beginning without a snapshot', () => {
    const expected = { state: stateAt(3), position: positionAt(3), fromSnapshot: false };
    expect(reopen(lines(1, 3))).toStrictEqual(expected);
  });

  it('is folded from a snapshot on', () => {
    snap(2);
    expect(reopen(lines(1, 4))).toEqual({ state: stateAt(4), position: positionAt(4), fromSnapshot: true });
  });

  it('is folded from a snapshot that was taken of the first record', () => {
    snap(1);
    expect(reopen(lines(1, 2))).toMatchObject({ position: positionAt(2), fromSnapshot: true });
  });

  it('is where the snapshot was when nothing follows it', () => {
    snap(3);
    expect(reopen(lines(1, 3))).toEqual({
      state: stateAt(3),
      position: positionAt(3),
      fromSnapshot: true,
      isSnapshotCurrent: true,
    });
  });

  it.each<[string, Partial<JournalPosition>]>([
    ['of no place', { offset: 0 }],
    ['of no line', { lineBytes: 0 }],
    ['of a line that begins before the file', { lineBytes: 100_000 }],
    ['of a line that is longer than any', { lineBytes: 17 * 1024 * 1024, offset: 18 * 1024 * 1024 }],
    ['of the middle of a line', { offset: lines(1, 2).length - 1 }],
    ['of another line', { lineSum: '00000000' }],
    ['of a line of another number', { seq: 1 }],
    ['of a place behind the end', { offset: 1_000_000 }],
  ])('is folded from its beginning when its snapshot is %s', (_, change) => {
    snap(2, snapshotPath(), change);
    expect(reopen(lines(1, 3))).toEqual({ state: stateAt(3), position: positionAt(3), fromSnapshot: false });
  });

  it.each([
    [MAX_LINE_BYTES, true],
    [MAX_LINE_BYTES + 1, false],
  ])('begins with a snapshot behind the longest record there may be, and none longer: %i', (bytes, fromSnapshot) => {
    const long = line(1, { type: 'agent-said', text: 'x'.repeat(bytes + 1 - line(1, SAID_NOTHING).length) });
    snap(1, snapshotPath(), { offset: long.length, lineBytes: long.length, lineSum: sumOfLine(long.subarray(0, -1)) });
    expect(reopen(long).fromSnapshot).toBe(fromSnapshot);
  });

  it('does not begin with a snapshot behind a line that has lost its end, or that has another number', () => {
    snap(2);
    const damaged = Buffer.concat([lines(1, 2).subarray(0, -1), Buffer.from(' ')]);
    expect(reopen(damaged)).toMatchObject({ position: positionAt(1), fromSnapshot: false });
    const renumbered = encodeSnapshot({ runId: RUN, workingDir: folder }, stateAt(1), { ...positionAt(2), seq: 1 });
    writeFileSync(snapshotPath(), renumbered ?? '');
    expect(reopen(lines(1, 3))).toMatchObject({ state: stateAt(3), fromSnapshot: false });
  });

  it('does not begin with the snapshot of another run', () => {
    snap(2, snapshotPath(), {}, 'loop_other');
    expect(reopen(lines(1, 3)).fromSnapshot).toBe(false);
  });

  it('does not begin with a snapshot whose state is of another record', () => {
    writeFileSync(snapshotPath(), encodeSnapshot({ runId: RUN, workingDir: folder }, stateAt(1), positionAt(2)) ?? '');
    expect(reopen(lines(1, 3))).toMatchObject({ state: stateAt(3), fromSnapshot: false });
  });
});

describe('a torn end', () => {
  it('is saved beside the journal and cut off', () => {
    const torn = Buffer.from('{"v":1,"seq":3,');
    const { tail, position } = reopen(Buffer.concat([lines(1, 2), torn]));
    expect(position).toEqual(positionAt(2));
    const savedTo = `${path}.cut-1`;
    expect(tail).toEqual({ line: 3, bytes: torn.length, what: 'it has no end', lostRecords: 0, savedTo });
    expect(readFileSync(savedTo)).toEqual(torn);
    expect(statSync(path).size).toBe(lines(1, 2).length);
  });

  it('with live records behind it is a loss of power behind a snapshot, and damage without one', () => {
    const bytes = Buffer.concat([lines(1, 2), Buffer.from('hole\n'), line(4), line(5)]);
    expect(() => reopen(bytes)).toThrow(JournalDamaged);
    expect(readFileSync(path)).toEqual(bytes);
    snap(2);
    expect(reopen(bytes)).toMatchObject({ position: positionAt(2), tail: { line: 3, lostRecords: 2 } });
  });
});

describe('a snapshot that is ahead of its journal', () => {
  it('is kept as all that is left of the records that were taken away', () => {
    snap(5);
    const { tail, state, fromSnapshot } = reopen(lines(1, 3));
    expect([state, fromSnapshot]).toEqual([stateAt(3), false]);
    expect(tail).toEqual({
      line: 4,
      bytes: 0,
      what: expect.stringMatching(/ 5 .*state\.json.* 3 /),
      lostRecords: 2,
      savedTo: `${snapshotPath()}.ahead-1`,
    });
    expect(readFileSync(`${snapshotPath()}.ahead-1`)).toEqual(readFileSync(snapshotPath()));
  });

  it('counts when the end is torn, too', () => {
    snap(5);
    expect(reopen(Buffer.concat([lines(1, 3), Buffer.from('x')])).tail).toMatchObject({
      line: 4,
      bytes: 1,
      lostRecords: 2,
      savedTo: `${path}.cut-1`,
    });
    expect(existsSync(`${snapshotPath()}.ahead-1`)).toBe(true);
  });

  it('is nothing to this run when it is of another one, or not ahead', () => {
    snap(5, snapshotPath(), {}, 'loop_other');
    expect(reopen(lines(1, 3)).tail).toBeUndefined();
    snap(3);
    expect(reopen(lines(1, 3)).tail).toBeUndefined();
  });
});

describe('the state at the end of a large journal', () => {
  /** What a view finds when the snapshot was taken after so many records. */
  function since(journal: Buffer): ReturnType<typeof stateSince> {
    const snapshot = readSnapshot(snapshotPath());
    if (snapshot === undefined) throw new Error('there is no snapshot');
    writeFileSync(path, journal);
    return stateSince(snapshot, path);
  }

  it('is that of its snapshot with what follows, and what is before is not read', () => {
    snap(2);
    expect(since(lines(1, 4))).toEqual(stateAt(4));
    expect(since(lines(1, 2))).toEqual(stateAt(2));
    const damagedBefore = Buffer.concat([Buffer.alloc(line(1).length, 'x'), lines(2, 4)]);
    expect(since(damagedBefore)).toEqual(stateAt(4));
  });

  it('is that of the last whole record while the next one is being written', () => {
    snap(2);
    expect(since(Buffer.concat([lines(1, 3), line(4).subarray(0, -10)]))).toEqual(stateAt(3));
  });

  it('is not told when what follows is damaged: whoever reads it all says where', () => {
    snap(2);
    expect(since(Buffer.concat([lines(1, 3), Buffer.from('damaged\n')]))).toBeUndefined();
    expect(since(Buffer.concat([lines(1, 2), Buffer.from('damaged\n'), line(4)]))).toBeUndefined();
  });

  it('is not told by the snapshot of another journal, or of more than there is', () => {
    snap(2);
    const other = encoded(2, { type: 'agent-said', text: 'x' }).line;
    expect(since(Buffer.concat([line(1), other, line(3)]))).toBeUndefined();
    expect(since(lines(1, 1))).toBeUndefined();
  });

  it('is not told by a snapshot whose state is of another record, or that has none', () => {
    writeFileSync(snapshotPath(), encodeSnapshot({ runId: RUN, workingDir: folder }, stateAt(1), positionAt(2)) ?? '');
    expect(since(lines(1, 3))).toBeUndefined();
    snap(2);
    const snapshot = readSnapshot(snapshotPath());
    expect(snapshot && stateSince({ ...snapshot, state: undefined }, path)).toBeUndefined();
  });

  it('is not told where there is no journal, or a folder in its place', () => {
    snap(2);
    const snapshot = readSnapshot(snapshotPath());
    expect(snapshot && stateSince(snapshot, path)).toBeUndefined();
    mkdirSync(path);
    expect(snapshot && stateSince(snapshot, path)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('is found without leaving a file open', () => {
    snap(2);
    expect(since(lines(1, 3))).toEqual(stateAt(3));
    expect(since(lines(1, 1))).toBeUndefined();
    expect(openFiles()).not.toContain(path);
  });
});
