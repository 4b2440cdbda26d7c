import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeRecord } from '../../test/support/relocated-record.js';
import { canonicalJson } from '../model/json.js';
import { reduce } from '../model/reduce.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { type Disk, NODE_DISK } from './disk.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from './open-file-journal.js';
import { encodeRecord, sealLine } from './record-scanner.js';
import { encodeSnapshot, readSnapshot, SNAPSHOT_FORMAT } from './snapshot.js';

let workingDir: string;
let runId: string;
let path: string;
let snapshotPath: string;
let lastState: RunState;

const options = (): FileJournalOptions => ({ workingDir, environment: { XDG_STATE_HOME: join(workingDir, 'state') } });

beforeEach(async () => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-snapshot-'));
  const journal = createFileJournal({ ...options(), extraKeys: () => ({ socket: '/run/x', seq: 'not this' }) });
  for (let count = 1; count <= 200; count += 1)
    journal.append({ type: 'error-seen', kind: 'other', message: `m${count}`, fingerprint: 'f' }, count);
  ({ runId, path } = journal);
  snapshotPath = join(journal.folder, 'state.json');
  await journal.close();
  lastState = journal.state;
});
afterEach(() => rmSync(workingDir, { recursive: true }));

/** A disk that counts what is read of the journal. */
function countingDisk(): { readonly disk: Disk; readonly readBytes: () => number } {
  let readBytes = 0;
  const journalInode = statSync(path).ino;
  const readSync = ((descriptor: number, ...rest: [Buffer, number, number, number]) => {
    const count = NODE_DISK.readSync(descriptor, ...rest);
    if (NODE_DISK.fstatSync(descriptor).ino === journalInode) readBytes += count;
    return count;
  }) as Disk['readSync'];
  return { disk: { ...NODE_DISK, readSync }, readBytes: () => readBytes };
}

async function reopen(): Promise<{ readonly readBytes: number; readonly state: RunState }> {
  const { disk, readBytes } = countingDisk();
  const journal = openFileJournal({ ...options(), runId, disk });
  const result = { readBytes: readBytes(), state: journal.state };
  await journal.close();
  return result;
}

function changeSnapshot(change: (text: string) => string): void {
  const changed = change(readFileSync(snapshotPath, 'utf8'));
  rmSync(snapshotPath);
  writeFileSync(snapshotPath, changed);
}

/** Sealed again, so that only its meaning is wrong. */
function withKeys(keys: object): (text: string) => string {
  return (text) => {
    const { sum: _sum, ...snapshot } = JSON.parse(text) as Record<string, unknown>;
    return sealLine(JSON.stringify({ ...snapshot, ...keys })).toString();
  };
}

describe('state.json', () => {
  it('tells an outside reader at the top how the run stands', () => {
    const seen = JSON.parse(readFileSync(snapshotPath, 'utf8')) as object;
    expect(seen).toMatchObject({
      format: SNAPSHOT_FORMAT,
      runId,
      workingDir,
      status: 'idle',
      iterations: 0,
      seq: 200,
      socket: '/run/x',
    });
    expect(readSnapshot(snapshotPath)).toMatchObject({ offset: statSync(path).size });
  });

  it('saves a reopening from reading the journal', async () => {
    const { readBytes, state } = await reopen();
    expect(readBytes).toBeLessThan(1000);
    expect(canonicalJson(state)).toBe(canonicalJson(lastState));
  });

  it('is completed from the rest of the journal when it is old', async () => {
    const old = readFileSync(snapshotPath);
    const journal = openFileJournal({ ...options(), runId });
    for (let count = 0; count < 10; count += 1) journal.append({ type: 'paused' }, 300);
    await journal.close();
    changeSnapshot(() => old.toString());
    const { readBytes, state } = await reopen();
    expect(readBytes).toBeLessThan(4000);
    expect(state).toMatchObject({ seq: 210, activeMs: 300, phase: { name: 'paused' } });
  });

  const unusable: Record<string, (text: string) => string> = {
    'is empty': () => '',
    'is cut': (text) => text.slice(0, -20),
    'has a changed byte': (text) => text.replace('"status":"idle"', '"status":"iddle"'),
    'has another format': withKeys({ format: SNAPSHOT_FORMAT + 1 }),
    'is of another run': withKeys({ runId: 'loop_01JAAAAAAAAAAAAAAAAAAAAAAA' }),
    'is ahead of the journal': withKeys({ offset: 1_000_000_000 }),
    'is of another place in the journal': withKeys({ offset: 500 }),
    'is of another last line': withKeys({ lineSum: '00000000' }),
    'says another length of the last line': withKeys({ lineBytes: 20 }),
    'says no length of the last line': withKeys({ lineBytes: 0 }),
    'says a length that is longer than the journal': withKeys({ lineBytes: 10_000_000 }),
    'says another number': withKeys({ seq: 199 }),
    'says another number, and its state too': (text) => {
      const { state } = JSON.parse(text) as { state: RunState };
      return withKeys({ seq: 199, state: { ...state, seq: 199 } })(text);
    },
    'says a number that is none': withKeys({ seq: 'x' }),
    'says a time that is none': withKeys({ at: 7 }),
    'says a beginning that is no time': withKeys({ startedAt: 7 }),
    'has no state': withKeys({ state: null }),
    'has the state of a version without phases': (text) => {
      const { state } = JSON.parse(text) as { state: RunState };
      const { phase: _phase, requests, ...rest } = state;
      return withKeys({ state: { ...rest, status: 'idle', steers: requests.steers } })(text);
    },
    'is not an object': () => sealLine('[]').toString(),
  };
  it.each(Object.keys(unusable))('is not used when it %s', async (name) => {
    changeSnapshot(unusable[name] ?? String);
    const { readBytes, state } = await reopen();
    expect(readBytes).toBeGreaterThan(20_000);
    expect(canonicalJson(state)).toBe(canonicalJson(lastState));
  });

  it.each([
    ['waiting', 'waiting'],
    ['paused', 'paused'],
    ['crashed', 'iterating'],
    ['pipeline', 'ended'],
  ])('that an earlier version wrote of a run has a place, and its state is not used: %s', async (name, phase) => {
    const placed = placeRecord(name, workingDir);
    const file = join(workingDir, '.ralph', 'runs', placed, 'state.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 5, state: { status: expect.any(String) } });
    expect(readSnapshot(file)).toMatchObject({ format: 5, runId: placed, workingDir, state: undefined });
    expect(readSnapshot(file)?.spec?.policy).toBeDefined();
    const journal = openFileJournal({ ...options(), runId: placed });
    expect(journal.state).toMatchObject({ phase: { name: phase }, requests: {} });
    expect(journal.state.faults).toBeUndefined();
    await journal.close();
    expect(readSnapshot(file)).toMatchObject({ format: SNAPSHOT_FORMAT, state: { phase: { name: phase } } });
  });

  it('is not used when the journal was replaced by a shorter one', async () => {
    const first = readFileSync(path, 'utf8').split('\n').slice(0, 50).join('\n');
    writeFileSync(path, `${first}\n`);
    expect((await reopen()).state.seq).toBe(50);
  });

  it('is not used when the end of its last line is damaged', async () => {
    const bytes = readFileSync(path);
    bytes[bytes.length - 1] = 0x20;
    writeFileSync(path, bytes);
    const journal = openFileJournal({ ...options(), runId });
    expect(journal.recovered).toMatchObject({ line: 200 });
    expect(journal.state.seq).toBe(199);
    await journal.close();
  });

  it('is not written of a state that JSON cannot hold', () => {
    const { recorded } = encodeRecord({ type: 'tick' }, { seq: 1, at: 'now', activeMs: 1 });
    const state = reduce(INITIAL_STATE, recorded);
    const source = { runId, workingDir };
    const position = { seq: 1, offset: 1, lineBytes: 1, lineSum: '' };
    expect(encodeSnapshot(source, { ...state, activeMs: Number.POSITIVE_INFINITY }, position)).toBeUndefined();
    expect(encodeSnapshot(source, { ...state, at: 'null' }, position)).toBeDefined();
    // As it is folded from a record in which JSON had to write null for a number.
    expect(encodeSnapshot(source, { ...state, activeMs: null as never }, position)).toBeDefined();
  });

  it.each([
    { runId: 5 },
    { workingDir: 5 },
    { seq: -1 },
    { seq: 1.5 },
    { offset: -1 },
    { offset: '5' },
    { lineBytes: -1 },
    { lineBytes: null },
    { lineSum: 5 },
  ])('is none when a field that its readers trust cannot be one: %o', (keys) => {
    changeSnapshot(withKeys(keys));
    expect(readSnapshot(snapshotPath)).toBeUndefined();
  });

  it('is one of a run without records, and one whose line has no end', () => {
    changeSnapshot((text) => withKeys({ seq: 0, offset: 0, lineBytes: 0, lineSum: '' })(text).trimEnd());
    expect(readSnapshot(snapshotPath)).toMatchObject({ runId, seq: 0, offset: 0 });
  });

  it('that cannot be written is a warning, told once, and the run goes on', async () => {
    const renameSync: Disk['renameSync'] = (from, to) => {
      if (String(to).endsWith('state.json')) throw new Error('no room');
      NODE_DISK.renameSync(from, to);
    };
    const told: string[] = [];
    const onWarning = (message: string) => told.push(message);
    const journal = openFileJournal({ ...options(), runId, disk: { ...NODE_DISK, renameSync }, onWarning });
    journal.append({ type: 'run-ended', state: 'stopped', reasons: [] }, 1);
    await journal.close();
    expect(told).toEqual([`cannot write ${snapshotPath}: no room`]);
    expect(journal.warnings).toEqual(told);
    expect((await reopen()).state).toMatchObject({ seq: 201, phase: { name: 'ended', state: 'stopped' } });
  });

  it('does not break the run when the keys of others, or their ears, fail', async () => {
    const fail = (): never => {
      throw new Error('broken');
    };
    const journal = openFileJournal({ ...options(), runId, extraKeys: fail, onWarning: fail });
    expect(journal.append({ type: 'run-ended', state: 'stopped', reasons: [] }, 1).seq).toBe(201);
    await journal.close();
    expect(journal.warnings).toEqual([`cannot write ${snapshotPath}: broken`]);
  });

  it('is read once when a run is opened again, and written once for its end', async () => {
    const reads: string[] = [];
    const writes: string[] = [];
    const openSync: Disk['openSync'] = (file, flags, mode) => {
      if (String(file).endsWith('state.json')) reads.push(String(file));
      return NODE_DISK.openSync(file, flags, mode);
    };
    const renameSync: Disk['renameSync'] = (from, to) => {
      if (to === snapshotPath) writes.push(to);
      NODE_DISK.renameSync(from, to);
    };
    const journal = openFileJournal({ ...options(), runId, disk: { ...NODE_DISK, openSync, renameSync } });
    expect({ reads, writes }).toEqual({ reads: [snapshotPath], writes: [] });
    journal.append({ type: 'run-resumed', cause: 'operator' }, 1);
    journal.append({ type: 'run-ended', state: 'stopped', reasons: [] }, 1);
    await journal.close();
    expect(readSnapshot(snapshotPath)).toMatchObject({ status: 'stopped', seq: 202 });
    // Once when it went on, once at its end.
    expect(writes).toHaveLength(2);
  });

  it('shows a run as live as soon as it is resumed, also when a limit is raised first', async () => {
    const journal = openFileJournal({ ...options(), runId });
    journal.append({ type: 'run-ended', state: 'stopped', reasons: [] }, 1);
    await journal.close();
    const again = openFileJournal({ ...options(), runId });
    again.append({ type: 'limit-extended', limit: { type: 'max_iterations', count: 9 }, by: 'resume' }, 1);
    again.append({ type: 'run-resumed', cause: 'operator' }, 1);
    expect(readSnapshot(snapshotPath)).toMatchObject({ status: 'running', seq: 203 });
    await again.close();
  });

  it('is up to date as soon as the run has ended', () => {
    const journal = openFileJournal({ ...options(), runId });
    journal.append({ type: 'run-ended', state: 'stopped', reasons: [] }, 1);
    expect(readSnapshot(snapshotPath)).toMatchObject({ status: 'stopped', seq: 201 });
    return journal.close();
  });

  it('follows live events and boundaries while the run goes on', async () => {
    const journal = openFileJournal({ ...options(), runId });
    journal.append({ type: 'paused' }, 1);
    await expect.poll(() => readSnapshot(snapshotPath)?.seq).toBe(201);
    journal.append({ type: 'tick' }, 1);
    await expect.poll(() => readSnapshot(snapshotPath)?.seq).toBe(202);
    await journal.close();
  });
});
