import { loopStateOf } from '../model/phase.js';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileSystemError } from '../model/errors.js';
import { type Disk, NODE_DISK } from './disk.js';
import type { FileJournal } from './file-journal.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from './open-file-journal.js';
import { readJournal } from './read-journal.js';
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

describe('second names', () => {
  it.each(['EXDEV', 'EPERM'])('are done without, with one warning, where no link can be made (%s)', async (errno) => {
    const linkSync: Disk['linkSync'] = (from, to) => {
      if (!String(to).includes('lock')) throw Object.assign(new Error(`${errno}: no link`), { code: errno });
      NODE_DISK.linkSync(from, to);
    };
    const opened = create({ disk: { ...NODE_DISK, linkSync } });
    for (let count = 0; count < 5; count += 1) opened.append({ type: 'paused' }, 1);
    rmSync(opened.path);
    expect(opened.append({ type: 'paused' }, 1).seq).toBe(6);
    await opened.close();
    expect(opened.warnings.filter((warning) => warning.includes('no second name'))).toHaveLength(1);
    expect(readFileSync(opened.path, 'utf8').trimEnd().split('\n')).toHaveLength(6);
  });

  it('lead to the same file', () => {
    const { path } = create();
    expect(statSync(path).nlink).toBe(2);
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

describe('two different files under the two names', () => {
  const secondOf = (runId: string) => {
    const state = join(workingDir, 'state');
    const name = readdirSync(state, { recursive: true, encoding: 'utf8' }).find((each) =>
      each.endsWith(`${runId}/journal.jsonl`),
    );
    return join(state, name ?? '');
  };

  async function separate(): Promise<{ readonly first: string; readonly second: string; readonly bytes: Buffer }> {
    const opened = create();
    for (let count = 0; count < 10; count += 1) opened.append({ type: 'tick' }, 1);
    await opened.close();
    const bytes = readFileSync(opened.path);
    rmSync(opened.path);
    return { first: opened.path, second: secondOf(opened.runId), bytes };
  }

  function reopen(): FileJournal {
    const runId = journal?.runId ?? '';
    journal = openFileJournal({ workingDir, runId, environment: { XDG_STATE_HOME: join(workingDir, 'state') } });
    return journal;
  }

  it('are settled for the first when it has as many records, as after a copy of the tree', async () => {
    const { first, second, bytes } = await separate();
    writeFileSync(first, bytes);
    const before = readdirSync('/proc/self/fd').length;
    const opened = reopen();
    // The journal, and its second opening for syncs.
    expect(readdirSync('/proc/self/fd')).toHaveLength(before + 2);
    expect(opened.state.seq).toBe(10);
    expect(opened.warnings).toEqual([
      expect.stringMatching(new RegExp(`^${second} .*${first} .*${second}.foreign-1$`)),
    ]);
    expect(statSync(first).ino).toBe(statSync(second).ino);
  });

  it('are not settled by what cannot be read', async () => {
    const { first, bytes } = await separate();
    writeFileSync(first, bytes);
    const runId = journal?.runId ?? '';
    const { ino } = statSync(first);
    const readSync = ((descriptor: number, ...rest: [Buffer, number, number, number]) => {
      if (NODE_DISK.fstatSync(descriptor).ino !== ino) return NODE_DISK.readSync(descriptor, ...rest);
      throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
    }) as Disk['readSync'];
    const disk: Disk = { ...NODE_DISK, readSync };
    const environment = { XDG_STATE_HOME: join(workingDir, 'state') };
    expect(() => openFileJournal({ workingDir, runId, environment, disk })).toThrow('EIO');
    expect(readFileSync(first).equals(bytes)).toBe(true);
    expect(reopen().state.seq).toBe(10);
  });

  it('are one again when the first is gone', async () => {
    const { first, second } = await separate();
    const opened = reopen();
    expect(opened.state.seq).toBe(10);
    expect(opened.warnings).toEqual([expect.stringMatching(new RegExp(`^${first} .*${second}$`))]);
    expect(statSync(first).ino).toBe(statSync(second).ino);
  });

  it.each([
    ['shorter', (bytes: Buffer) => bytes.subarray(0, 500)],
    ['damaged', (bytes: Buffer) => bytes.fill('x', 100, 110)],
  ])('are settled for the second when the first is %s', async (_, change) => {
    const { first, bytes } = await separate();
    const changed = change(Buffer.from(bytes));
    writeFileSync(first, changed);
    const opened = reopen();
    expect(opened.state.seq).toBe(10);
    expect(readFileSync(first).equals(bytes)).toBe(true);
    expect(readFileSync(`${first}.foreign-1`).equals(changed)).toBe(true);
  });

  it('are settled for the second, as short as it may be, when the first is damaged', async () => {
    const { first, second, bytes } = await separate();
    truncateSync(second, bytes.indexOf('\n') + 1);
    writeFileSync(first, Buffer.from(bytes).fill('x', 100, 110));
    expect(reopen().state.seq).toBe(1);
  });
});

describe('opening', () => {
  it('names a run that is not there, and leaves no folder behind', () => {
    const runId = 'loop_01JZZZZZZZZZZZZZZZZZZZZZZZ';
    const open = () =>
      openFileJournal({ workingDir, runId, environment: { XDG_STATE_HOME: join(workingDir, 'state') } });
    expect(open).toThrow(FileSystemError);
    expect(open).toThrow(/^cannot open .*: no such run/);
    expect(readdirSync(join(workingDir, '.ralph', 'runs'))).toEqual([]);
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
    expect(synced).toEqual([folder, join(workingDir, '.ralph', 'runs'), join(workingDir, '.ralph')]);
  });

  it('leaves nothing open when a record turns out to be damaged', async () => {
    const opened = create();
    for (let count = 0; count < 3; count += 1) opened.append({ type: 'paused' }, 1);
    await opened.close();
    const { runId, path, folder } = opened;
    rmSync(join(workingDir, 'state'), { recursive: true });
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
