import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Disk, NODE_DISK } from './disk.js';
import type { FileJournal } from './file-journal.js';
import { createFileJournal } from './open-file-journal.js';
import { readSnapshot } from './snapshot.js';

let workingDir: string;
let journal: FileJournal;
let steps: string[];
let faults: Partial<Disk>;
let nowMs: number;
let held: (() => void)[];

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-syncs-'));
  [steps, faults, nowMs, held] = [[], {}, 50_000, []];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  journal = createFileJournal({ workingDir, environment: { XDG_STATE_HOME: join(workingDir, 'state') }, disk });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  faults = {};
  held.splice(0).forEach((release) => release());
  await journal.close().catch(() => undefined);
  rmSync(workingDir, { recursive: true });
});

/** The disk of the system, but for the faults of the moment; notes the syncs of the journal. */
const disk = new Proxy(NODE_DISK, {
  get: (real, name: keyof Disk) => {
    if (name === 'fdatasyncSync' || name === 'fdatasync') steps.push(name);
    return faults[name] ?? real[name];
  },
});
const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};

/** Syncs in the background end when the test says so. */
function heldSyncs(): (() => void)[] {
  faults = { fdatasync: ((_: number, done: (error: null) => void) => held.push(() => done(null))) as never };
  return held;
}

const tick = () => journal.append({ type: 'tick' }, 1).seq;
const boundary = () => journal.append({ type: 'paused' }, 1).seq;
const end = () => journal.append({ type: 'run-ended', state: 'stopped', reasons: [] }, 1).seq;
const snapshotSeq = () => readSnapshot(join(journal.folder, 'state.json'))?.seq;
const link = () => join(workingDir, '.ralph', 'runs', journal.runId, 'journal.jsonl');
const pass = (ms: number) => {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
};

describe('live events that no timer syncs', () => {
  it('are synced by the append that comes more than a second after the first of them', () => {
    boundary();
    steps = [];
    tick();
    nowMs += 1000;
    tick();
    expect(steps).toEqual([]);
    nowMs += 1;
    tick();
    expect(steps).toEqual(['fdatasyncSync']);
    tick();
    expect(steps).toEqual(['fdatasyncSync']);
  });

  it('are synced by the close, also when a sync of those before them is under way', async () => {
    const ends = heldSyncs();
    tick();
    pass(500);
    tick();
    pass(500);
    expect(ends).toHaveLength(1);
    steps = [];
    const closing = journal.close();
    expect(steps).toEqual(['fdatasyncSync']);
    ends.splice(0).forEach((release) => release());
    await closing;
  });

  it('are not synced a second time by the close', async () => {
    const ends = heldSyncs();
    boundary();
    tick();
    pass(500);
    ends.splice(0).forEach((release) => release());
    steps = [];
    await journal.close();
    expect(steps).toEqual([]);
  });
});

describe('a sync in the background', () => {
  it('that ends behind that of a boundary takes nothing back', async () => {
    const ends = heldSyncs();
    tick();
    const waiting = journal.synced?.();
    boundary();
    ends.splice(0).forEach((release) => release());
    await waiting;
    await journal.synced?.();
    expect(ends).toEqual([]);
  });

  it('answers those whose records it covers, and the others after one more', async () => {
    const ends = heldSyncs();
    const told: number[] = [];
    const waits = [tick(), tick()].map(async (seq) => {
      await journal.synced?.();
      told.push(seq);
    });
    tick();
    const last = journal.synced?.().then(() => told.push(3));
    ends.shift()?.();
    await Promise.all(waits);
    expect([told, ends.length]).toEqual([[1, 2], 1]);
    ends.shift()?.();
    await last;
    expect([told, ends.length]).toEqual([[1, 2, 3], 0]);
  });

  it('changes nothing any more when another one has failed meanwhile', () => {
    const ends = heldSyncs();
    tick();
    pass(500);
    faults = { ...faults, fdatasyncSync: failing('EIO') };
    expect(boundary).toThrow('cannot sync');
    nowMs += 5000;
    ends.splice(0).forEach((release) => release());
    expect(snapshotSeq()).toBe(0);
  });

  it('leads to no snapshot a second after the last one, or sooner', () => {
    const ends = heldSyncs();
    boundary();
    tick();
    pass(500);
    nowMs += 500;
    ends.splice(0).forEach((release) => release());
    expect(snapshotSeq()).toBe(1);
  });

  it('leads to no snapshot that is older than the one there', () => {
    const ends = heldSyncs();
    tick();
    pass(500);
    expect(end()).toBe(2);
    nowMs += 5000;
    ends.splice(0).forEach((release) => release());
    expect(snapshotSeq()).toBe(2);
  });

  it('leads to a snapshot of what it covers, and not of what came meanwhile', () => {
    const ends = heldSyncs();
    boundary();
    tick();
    pass(500);
    tick();
    nowMs += 5000;
    ends.splice(0).forEach((release) => release());
    expect(snapshotSeq()).toBe(2);
  });

  it('is followed by a look at the links when somebody waits for it, and only then', async () => {
    const ends = heldSyncs();
    boundary();
    rmSync(link());
    tick();
    pass(500);
    ends.shift()?.();
    expect(existsSync(link())).toBe(false);
    tick();
    const waiting = journal.synced?.();
    ends.shift()?.();
    await waiting;
    expect(existsSync(link())).toBe(true);
  });
});

describe('a sync that has failed', () => {
  it('is not tried again by anything, and everything says so', async () => {
    faults = { fdatasyncSync: failing('EIO') };
    expect(boundary).toThrow(`cannot sync ${journal.path}: EIO`);
    faults = {};
    steps = [];
    expect(tick).toThrow(/^cannot write to .*: a sync failed .*\(.*EIO.*\).*lost/);
    expect(tick).toThrow(expect.objectContaining({ cause: expect.objectContaining({ cause: expect.any(Error) }) }));
    pass(5000);
    await expect(journal.close()).rejects.toThrow(`cannot sync ${journal.path}: EIO`);
    expect(steps).toEqual([]);
    expect(snapshotSeq()).toBe(0);
  });

  it('in the background is told to all who wait, and ends the record', async () => {
    faults = {
      fdatasync: ((_: number, done: (error: Error) => void) => setImmediate(done, new Error('EIO'))) as never,
    };
    tick();
    const waiting = [journal.synced?.(), journal.synced?.()];
    for (const one of waiting) await expect(one).rejects.toThrow(`cannot sync ${journal.path}: EIO`);
    expect(tick).toThrow('a sync failed before');
    faults = {};
    steps = [];
    await expect(journal.close()).rejects.toThrow(`cannot sync ${journal.path}: EIO`);
    // Neither another sync nor a snapshot says that the event is on disk.
    expect([steps, snapshotSeq()]).toEqual([[], 0]);
  });
});

describe('state.json', () => {
  it('is renewed by a boundary more than a second after the last time, and not sooner', () => {
    expect([boundary(), snapshotSeq()]).toEqual([1, 1]);
    nowMs += 1000;
    expect([boundary(), snapshotSeq()]).toEqual([2, 1]);
    nowMs += 1;
    expect([boundary(), snapshotSeq()]).toEqual([3, 3]);
  });

  it('that takes long to write is written the more seldom, so that it takes a twentieth of the time', () => {
    faults = {
      renameSync: ((from: string, to: string) => {
        if (to === join(journal.folder, 'state.json')) nowMs += 1000;
        NODE_DISK.renameSync(from, to);
      }) as never,
    };
    expect([boundary(), snapshotSeq()]).toEqual([1, 1]);
    nowMs += 19_000;
    expect([boundary(), snapshotSeq()]).toEqual([2, 1]);
    nowMs += 1;
    expect([boundary(), snapshotSeq()]).toEqual([3, 3]);
  });

  it('never has what is not synced yet', () => {
    heldSyncs();
    boundary();
    nowMs += 5000;
    tick();
    pass(5000);
    pass(5000);
    expect(snapshotSeq()).toBe(1);
  });

  it('and the links are renewed at once when both folders were taken away', () => {
    boundary();
    for (const folder of [journal.folder, join(workingDir, '.ralph')]) rmSync(folder, { recursive: true });
    steps = [];
    tick();
    expect(steps).toContain('fdatasyncSync');
    expect([snapshotSeq(), existsSync(link()), existsSync(join(journal.folder, 'reserve'))]).toEqual([2, true, true]);
  });

  it('is left as it is on a full disk until the run ends, and so is the reserve', () => {
    boundary();
    const ends = heldSyncs();
    let writes = 0;
    faults = {
      ...faults,
      writeSync: ((...parameters: Parameters<Disk['writeSync']>) =>
        (writes += 1) === 1 ? failing('ENOSPC')() : NODE_DISK.writeSync(...parameters)) as never,
    };
    nowMs += 5000;
    boundary();
    expect(journal.diskFull).toBe(true);
    pass(5000);
    tick();
    pass(5000);
    ends.splice(0).forEach((release) => release());
    expect([snapshotSeq(), vi.getTimerCount()]).toEqual([1, 0]);
    rmSync(dirname(journal.path), { recursive: true });
    boundary();
    expect(readdirSync(journal.folder)).toEqual(['journal.jsonl', 'lock']);
    end();
    expect(snapshotSeq()).toBe(5);
  });
});

describe('a link', () => {
  it('is looked after at a boundary, and not at each live event', () => {
    boundary();
    rmSync(link());
    tick();
    expect(existsSync(link())).toBe(false);
    boundary();
    expect(existsSync(link())).toBe(true);
  });
});

describe('a reader of a run', () => {
  const read = async () => {
    const seqs: number[] = [];
    for await (const { seq } of journal.read()) seqs.push(seq);
    return seqs;
  };

  it('finds the record although its name was taken away', async () => {
    tick();
    rmSync(journal.path);
    expect(await read()).toEqual([1]);
  });

  it('brings nothing back once the run is closed', async () => {
    tick();
    await journal.close();
    rmSync(journal.path);
    await expect(read()).rejects.toThrow('cannot open');
    expect(() => tick()).toThrow(/cannot append .*closed/);
  });

  it('brings nothing back after a sync that failed, either', async () => {
    tick();
    faults = { fdatasyncSync: failing('EIO') };
    expect(boundary).toThrow('cannot sync');
    rmSync(journal.path);
    await expect(read()).rejects.toThrow('cannot open');
  });
});
