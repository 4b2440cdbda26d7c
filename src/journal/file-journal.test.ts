import { loopStateOf } from '../model/phase.js';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileSystemError } from '../model/errors.js';
import { type Disk, folderOf, NODE_DISK } from './disk.js';
import type { FileJournal } from './file-journal.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from './open-file-journal.js';
import { listRuns } from './list-runs.js';
import { readJournal } from './read-journal.js';
import { findSecondHome } from './run-places.js';
import type { TornTail } from './record-scanner.js';
import { readSnapshot } from './snapshot.js';
import { verifyJournal } from './verify-journal.js';

let workingDir: string;
let journal: FileJournal | undefined;

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-file-'));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await journal?.close().catch(() => undefined);
  rmSync(workingDir, { recursive: true });
});

function create(options?: Partial<FileJournalOptions>): FileJournal {
  journal = createFileJournal({ workingDir, environment: { XDG_STATE_HOME: join(workingDir, 'state') }, ...options });
  return journal;
}

/** Notes what is done to the journal's file, in order. */
function notingDisk(steps: string[]): Disk {
  return {
    ...NODE_DISK,
    writeSync: ((descriptor: number, bytes: Uint8Array, ...rest: [number, number, number]) => {
      steps.push('write');
      return NODE_DISK.writeSync(descriptor, bytes, ...rest);
    }) as Disk['writeSync'],
    fdatasyncSync(descriptor) {
      steps.push('sync');
      NODE_DISK.fdatasyncSync(descriptor);
    },
    fdatasync: ((descriptor: number, done: (error: NodeJS.ErrnoException | null) => void) => {
      steps.push('background sync');
      NODE_DISK.fdatasync(descriptor, done);
    }) as Disk['fdatasync'],
  };
}

describe('events that are waited for', () => {
  it('share a sync, and are on disk when it is told', async () => {
    const steps: string[] = [];
    const opened = create({ disk: notingDisk(steps) });
    opened.append({ type: 'resumed' }, 0);
    steps.length = 0;
    opened.append({ type: 'tick' }, 1);
    const first = opened.synced?.();
    for (let count = 0; count < 5; count++) opened.append({ type: 'tick' }, 1);
    const others = Array.from({ length: 5 }, () => opened.synced?.());
    await Promise.all([first, ...others]);
    // One for the first, and one for all that came while it was under way.
    expect(steps.filter((step) => step.includes('sync'))).toEqual(['background sync', 'background sync']);
    await opened.synced?.();
    expect(steps.filter((step) => step.includes('sync'))).toHaveLength(2);
  });

  it('are let go when the journal is closed meanwhile, and nothing is written after that', async () => {
    const steps: string[] = [];
    const opened = create({ disk: notingDisk(steps) });
    opened.append({ type: 'tick' }, 1);
    const waiting = opened.synced?.();
    const closing = opened.close();
    steps.length = 0;
    await Promise.all([waiting, closing]);
    expect(steps).toEqual([]);
    expect((await verifyJournal(opened.path)).events).toBe(1);
  });

  it('are told of a sync that failed, and nothing is recorded any more', async () => {
    const disk: Disk = {
      ...NODE_DISK,
      fdatasync: ((_: number, done: (error: NodeJS.ErrnoException | null) => void) =>
        setImmediate(done, Object.assign(new Error('EIO'), { code: 'EIO' }))) as unknown as Disk['fdatasync'],
    };
    const opened = create({ disk });
    opened.append({ type: 'tick' }, 1);
    await expect(opened.synced?.()).rejects.toThrow(FileSystemError);
    expect(() => opened.append({ type: 'tick' }, 1)).toThrow(FileSystemError);
  });
});

describe('J1', () => {
  it('writes, syncs a boundary, folds, and only then publishes', () => {
    const steps: string[] = [];
    const opened = create({ disk: notingDisk(steps) });
    // The first boundary is followed by a snapshot.
    opened.append({ type: 'resumed' }, 0);
    opened.subscribe((event, state) => {
      expect(loopStateOf(state)).toBe('paused');
      expect(readFileSync(opened.path, 'utf8').split('\n')[event.seq - 1]).toContain('"type":"paused"');
      steps.push('publish');
    });
    steps.length = 0;
    opened.append({ type: 'paused' }, 1);
    expect(steps).toEqual(['write', 'sync', 'publish']);
  });

  it('syncs live events together, soon after', async () => {
    const steps: string[] = [];
    const opened = create({ disk: notingDisk(steps) });
    steps.length = 0;
    for (let count = 0; count < 5; count += 1) opened.append({ type: 'tick' }, 1);
    expect(steps).toEqual(Array(5).fill('write'));
    await expect.poll(() => steps.filter((step) => step === 'background sync')).toHaveLength(1);
  });

  it('syncs live events although the event loop is never free', () => {
    const steps: string[] = [];
    const opened = create({ disk: notingDisk(steps) });
    steps.length = 0;
    let elapsedMs = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (elapsedMs += 100));
    for (let count = 0; count < 30; count += 1) opened.append({ type: 'tick' }, 1);
    expect(steps).toContain('sync');
  });

  it('leaves the pulse that comes after the end of the record without effect', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const steps: string[] = [];
    let broken = false;
    const disk = notingDisk(steps);
    const fdatasyncSync: Disk['fdatasyncSync'] = (descriptor) => {
      if (broken) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      disk.fdatasyncSync(descriptor);
    };
    const opened = create({ disk: { ...disk, fdatasyncSync } });
    opened.append({ type: 'tick' }, 1);
    broken = true;
    expect(() => opened.append({ type: 'paused' }, 1)).toThrow(FileSystemError);
    steps.length = 0;
    vi.runOnlyPendingTimers();
    expect(steps).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rests when everything is on disk and in the snapshot', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const steps: string[] = [];
    const opened = create({ disk: notingDisk(steps) });
    opened.append({ type: 'paused' }, 1);
    steps.length = 0;
    vi.runOnlyPendingTimers();
    expect(steps).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes the snapshot of a boundary later when the last one is too young', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opened = create();
    const snapshotSeq = () => readSnapshot(join(opened.folder, 'state.json'))?.seq;
    for (let count = 0; count < 3; count += 1) opened.append({ type: 'paused' }, 1);
    expect(snapshotSeq()).toBe(1);
    vi.runOnlyPendingTimers();
    expect(vi.getTimerCount()).toBe(1);
    const laterMs = performance.now() + 2000;
    vi.spyOn(performance, 'now').mockReturnValue(laterMs);
    vi.runOnlyPendingTimers();
    expect(snapshotSeq()).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not keep the process alive', () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    create().append({ type: 'tick' }, 1);
    const pulses = timers.mock.results.map((result) => result.value as NodeJS.Timeout);
    expect(pulses.map((pulse) => pulse.hasRef())).toEqual([false]);
  });

  it('completes a write that the system does in parts', () => {
    const writeSync = ((descriptor: number, bytes: Uint8Array, from: number, length: number, at: number) =>
      NODE_DISK.writeSync(descriptor, bytes, from, Math.min(length, 7), at)) as Disk['writeSync'];
    const opened = create({ disk: { ...NODE_DISK, writeSync } });
    opened.append({ type: 'agent-said', text: 'a longer text' }, 1);
    expect(readFileSync(opened.path, 'utf8')).toMatch(/^\{"v":1,.*"sum":"[0-9a-f]{8}"\}\n$/);
  });

  it('does not wait for ever for a system that writes nothing', () => {
    let writes = true;
    const writeSync = ((descriptor: number, ...rest: [Uint8Array, number, number, number]) =>
      writes ? NODE_DISK.writeSync(descriptor, ...rest) : 0) as Disk['writeSync'];
    const opened = create({ disk: { ...NODE_DISK, writeSync } });
    writes = false;
    expect(() => opened.append({ type: 'tick' }, 1)).toThrow(/wrote nothing/);
    writes = true;
    expect(opened.append({ type: 'tick' }, 1).seq).toBe(1);
  });

  it('refuses an event that no reader would accept, and goes on', () => {
    const opened = create();
    const text = 'x'.repeat(17 * 1024 * 1024);
    const append = () => opened.append({ type: 'agent-said', text }, 1);
    expect(append).toThrow(FileSystemError);
    expect(append).toThrow(/^cannot write to .*: agent-said .*\d+ bytes/);
    expect(opened.append({ type: 'tick' }, 1).seq).toBe(1);
  });

  it('records on although a listener throws, and so does the one who is told of it', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const fail = (): never => {
      throw new Error('broken');
    };
    const opened = create({ onListenerError: fail });
    opened.subscribe(fail);
    expect(opened.append({ type: 'tick' }, 1).seq).toBe(1);
    expect(warned).toHaveBeenCalledOnce();
  });

  it('does not tell a listener that another one has just sent away', () => {
    const opened = create();
    const heard: number[] = [];
    opened.subscribe(() => stop());
    const stop = opened.subscribe((event) => heard.push(event.seq));
    opened.append({ type: 'tick' }, 1);
    expect(heard).toEqual([]);
  });

  it('warns of a listener that throws when nobody has asked to be told', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const opened = create();
    opened.subscribe(() => {
      throw new Error('a broken view');
    });
    opened.append({ type: 'tick' }, 1);
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('a broken view'), 'PawlWarning');
  });
});

describe('a reader', () => {
  const read = async (path: string, signal?: AbortSignal) => {
    const seqs: number[] = [];
    for await (const event of readJournal(path, { signal, onTorn: (torn) => seqs.push(-torn.line) }))
      seqs.push(event.seq);
    return seqs;
  };

  it('is told of a journal that is not there, or that is none', async () => {
    const nowhere = join(workingDir, 'nowhere');
    await expect(read(nowhere)).rejects.toThrow(`cannot open ${nowhere}`);
    await expect(verifyJournal(nowhere)).rejects.toThrow(FileSystemError);
    await expect(read(workingDir)).rejects.toThrow(FileSystemError);
    await expect(verifyJournal(workingDir)).rejects.toThrow(FileSystemError);
  });

  it('passes over a record that is being written, and is told of it when it asks', async () => {
    const opened = create();
    opened.append({ type: 'tick' }, 1);
    appendFileSync(opened.path, '{"v":1,');
    const told: TornTail[] = [];
    const all = async (onIncomplete?: (tail: TornTail) => void) => {
      const seqs: number[] = [];
      for await (const { seq } of readJournal(opened.path, { onIncomplete })) seqs.push(seq);
      return seqs;
    };
    expect([await all((tail) => told.push(tail)), await all()]).toEqual([[1], [1]]);
    expect(told).toMatchObject([{ line: 2, bytes: 7 }]);
  });

  it('is not told of a record that is being written where none is, or where the end is torn', async () => {
    const opened = create();
    opened.append({ type: 'tick' }, 1);
    const incomplete: TornTail[] = [];
    const readAll = async () => {
      for await (const _ of readJournal(opened.path, { onIncomplete: (tail) => incomplete.push(tail) }));
    };
    await readAll();
    appendFileSync(opened.path, 'torn\n');
    await expect(readAll()).rejects.toThrow(`${opened.path}:2: `);
    expect(incomplete).toEqual([]);
  });

  it('is told of a torn end after the last event, when it asks', async () => {
    const opened = create();
    opened.append({ type: 'tick' }, 1);
    appendFileSync(opened.path, 'torn\n');
    expect(await read(opened.path)).toEqual([1, -2]);
  });

  it('ends when it is told to', async () => {
    const opened = create();
    opened.append({ type: 'tick' }, 1);
    expect(await read(opened.path, AbortSignal.abort())).toEqual([]);
  });
});

describe('a record that version 0.1 has made', () => {
  /** In the project, with a second name of each file in the state home of its folder. */
  async function old() {
    const records = 'project';
    const opened = createFileJournal({ workingDir, records, environment: environment() });
    for (let count = 0; count < 10; count += 1) opened.append({ type: 'tick' }, 1);
    await opened.close();
    const { runs } = findSecondHome(realpathSync(workingDir), environment());
    const second = join(folderOf(runs), opened.runId);
    mkdirSync(second, { recursive: true });
    for (const name of ['journal.jsonl', 'state.json']) linkSync(join(opened.folder, name), join(second, name));
    return { runId: opened.runId, first: opened.folder, second };
  }
  const environment = () => ({ XDG_STATE_HOME: join(workingDir, 'state') });
  const reopen = (runId: string) => {
    journal = openFileJournal({ workingDir, runId, environment: environment() });
    return journal;
  };

  it('is continued where it is, and nothing is moved', async () => {
    const { runId, first } = await old();
    const opened = reopen(runId);
    expect([opened.folder, opened.state.seq]).toEqual([first, 10]);
    opened.append({ type: 'paused' }, 1);
    await opened.close();
    expect(statSync(join(first, 'journal.jsonl')).isFile()).toBe(true);
    expect(existsSync(join(workingDir, 'state', 'pawl', 'runs'))).toBe(false);
  });

  it('is listed and continued by its second names when the first are gone', async () => {
    const { runId, first, second } = await old();
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    expect(listRuns(workingDir, environment())).toMatchObject([{ runId, folder: second }]);
    const opened = reopen(runId);
    expect([opened.folder, opened.state.seq]).toEqual([second, 10]);
    opened.append({ type: 'paused' }, 1);
    expect(readFileSync(join(first, 'journal.jsonl'))).toEqual(readFileSync(join(second, 'journal.jsonl')));
  });
});

describe('opening', () => {
  it('names a run that is not there, and leaves no folder behind', () => {
    const runId = 'loop_01JZZZZZZZZZZZZZZZZZZZZZZZ';
    const open = () =>
      openFileJournal({ workingDir, runId, environment: { XDG_STATE_HOME: join(workingDir, 'state') } });
    expect(open).toThrow(FileSystemError);
    expect(open).toThrow(/^cannot open .*: no such run/);
    const runs = [join(workingDir, '.ralph', 'runs'), join(workingDir, 'state', 'pawl', 'runs')];
    expect(runs.map((folder) => readdirSync(folder))).toEqual([[], []]);
  });

  const fail = (): never => {
    throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
  };
  /** The journal is opened once to write and once to sync. */
  const secondOpening = (): Partial<Disk> => {
    let openings = 0;
    const isSecond = (name: string) => name.endsWith('journal.jsonl') && (openings += 1) === 2;
    return { openSync: (name, ...rest) => (isSecond(String(name)) ? fail() : NODE_DISK.openSync(name, ...rest)) };
  };

  it.each<[string, Partial<Disk>]>([
    ['its folder cannot be synced', { fsyncSync: fail }],
    ['no space can be reserved', { fdatasyncSync: fail }],
    ['its journal cannot be opened for its syncs', secondOpening()],
  ])('leaves nothing behind when %s', (_, faults) => {
    const before = readdirSync('/proc/self/fd').length;
    expect(() => create({ disk: { ...NODE_DISK, ...faults } })).toThrow(/^cannot .*EIO: injected/);
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
    expect(readdirSync(join(workingDir, '.ralph', 'runs'))).toEqual([]);
    const names = readdirSync(workingDir, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('lock'))).toEqual([]);
  });

  it('makes the names of a new record survive a loss of power', () => {
    const synced: string[] = [];
    const fsyncSync: Disk['fsyncSync'] = (descriptor) => {
      synced.push(readlinkSync(`/proc/self/fd/${descriptor}`));
      NODE_DISK.fsyncSync(descriptor);
    };
    const { folder } = create({ disk: { ...NODE_DISK, fsyncSync } });
    expect(synced).toEqual([folder, dirname(folder), dirname(dirname(folder))]);
  });

  it('leaves nothing open when a record turns out to be damaged', async () => {
    const opened = create();
    for (let count = 0; count < 3; count += 1) opened.append({ type: 'paused' }, 1);
    await opened.close();
    const { runId, path, folder } = opened;
    rmSync(join(folder, 'state.json'));
    writeFileSync(path, readFileSync(path).fill('x', 10, 20));
    const before = readdirSync('/proc/self/fd').length;
    const environment = { XDG_STATE_HOME: join(workingDir, 'state') };
    expect(() => openFileJournal({ workingDir, runId, environment })).toThrow(`${path}:1: `);
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
    expect(readdirSync(folder)).toEqual(['journal.jsonl']);
  });

  it('names a working directory that is not there', () => {
    expect(() => create({ workingDir: join(workingDir, 'nowhere') })).toThrow(
      /cannot find the working directory .*nowhere/,
    );
  });

  it('keeps itself out of the commits of the user', async () => {
    await create().close();
    expect(readFileSync(join(workingDir, '.ralph', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('leaves nothing but the record behind when it is closed', async () => {
    const opened = create();
    expect(statSync(join(opened.folder, 'reserve')).blocks * 512).toBeGreaterThanOrEqual(64 * 1024);
    await opened.close();
    expect(readdirSync(opened.folder).sort()).toEqual(['journal.jsonl', 'state.json']);
    expect(readdirSync(join(workingDir, '.ralph'))).toEqual(['.gitignore', 'runs']);
  });
});
