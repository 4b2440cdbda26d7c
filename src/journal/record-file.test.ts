import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../test/support/open-files.js';
import { FileSystemError, LockedError } from '../model/errors.js';
import { type Disk, NODE_DISK, folderOf } from './disk.js';
import type { FileJournal } from './file-journal.js';
import { newHolder } from './lock.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from './open-file-journal.js';
import { findRunPlaces } from './run-places.js';
import { replaceSnapshot } from './snapshot.js';
import { verifyJournal } from './verify-journal.js';
import { createWarnings } from './journal.js';

let workingDir: string;
let journal: FileJournal;
let faults: Partial<Disk>;

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-record-'));
  faults = {};
});
afterEach(async () => {
  faults = {};
  await journal.close().catch(() => undefined);
  const left = openFiles().filter((path) => path.startsWith(workingDir));
  rmSync(workingDir, { recursive: true });
  expect(left).toEqual([]);
});

const environment = () => ({ XDG_STATE_HOME: join(workingDir, 'state') });

/** The disk of the system, but for the faults of the moment. */
const disk = new Proxy(NODE_DISK, {
  get: (real, name: keyof Disk) => faults[name] ?? real[name],
});
const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};

function create(options?: Partial<FileJournalOptions>): FileJournal {
  journal = createFileJournal({ workingDir, environment: environment(), disk, ...options });
  return journal;
}

/** A run with one record, whose name is about to be damaged. */
function begun(): { readonly path: string } {
  const { path } = create();
  journal.append({ type: 'paused' }, 1);
  return { path };
}

async function expectWhole(path: string, events: number): Promise<void> {
  expect(journal.append({ type: 'paused' }, 2).seq).toBe(events);
  await journal.close();
  expect((await verifyJournal(path)).events).toBe(events);
}

describe('a write that fails', () => {
  it('leaves nothing of its record behind, and is told with the path', async () => {
    const { path } = begun();
    const { size } = statSync(path);
    faults = {
      writeSync: ((descriptor: number, bytes: Uint8Array, from: number, _: number, at: number) => {
        NODE_DISK.writeSync(descriptor, bytes, from, 7, at);
        failing('EIO')();
      }) as never,
    };
    expect(() => journal.append({ type: 'tick' }, 1)).toThrow(`cannot write to ${path}: EIO`);
    expect(statSync(path).size).toBe(size);
    // It is for a full disk, and this one is not.
    expect([journal.diskFull, existsSync(join(journal.folder, 'reserve'))]).toEqual([false, true]);
    faults = {};
    await expectWhole(path, 2);
  });

  it('on a full disk is made up for by the reserve once, and told the second time', async () => {
    const { path } = begun();
    let isFull = true;
    faults = {
      writeSync: ((...parameters: Parameters<Disk['writeSync']>) =>
        isFull ? failing('ENOSPC')() : NODE_DISK.writeSync(...parameters)) as never,
      unlinkSync: (name) => {
        NODE_DISK.unlinkSync(name);
        if (String(name).endsWith('reserve')) isFull = false;
      },
    };
    expect([journal.append({ type: 'tick' }, 1).seq, journal.diskFull]).toEqual([2, true]);
    isFull = true;
    expect(() => journal.append({ type: 'tick' }, 1)).toThrow(`cannot write to ${path}: ENOSPC`);
    faults = {};
    await expectWhole(path, 3);
  });
});

it('a disk that stays full although the reserve was given back is named with the path', () => {
  const { path } = begun();
  const { size } = statSync(path);
  faults = { writeSync: failing('ENOSPC') };
  expect(() => journal.append({ type: 'tick' }, 1)).toThrow(`cannot write to ${path}: ENOSPC`);
  expect(existsSync(join(journal.folder, 'reserve'))).toBe(false);
  faults = {};
  expect([journal.diskFull, statSync(path).size]).toEqual([false, size]);
});

describe('a record whose name is taken away', () => {
  it('is written again from the open file, with the folders around it', async () => {
    const { path } = begun();
    rmSync(join(workingDir, 'state'), { recursive: true });
    await expectWhole(path, 2);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(journal.warnings).toContainEqual(expect.stringMatching(new RegExp(`^${path} .*written again`)));
  });

  it('is written again by the next event of any kind, so that no crash finds it gone', async () => {
    const { path } = begun();
    rmSync(path);
    journal.append({ type: 'tick' }, 1);
    expect((await verifyJournal(path)).events).toBe(2);
  });

  it('gets back no more than was written to it', async () => {
    const { path } = begun();
    journal.append({ type: 'agent-said', text: 'x'.repeat(600_000) }, 1);
    appendFileSync(path, 'theirs'.repeat(100_000));
    rmSync(path);
    await expectWhole(path, 3);
    expect(journal.warnings).toEqual([expect.stringMatching(new RegExp(`^${path} .*written again`))]);
  });

  it('is written on although its reserve cannot be made again', async () => {
    const { path } = begun();
    rmSync(dirname(path), { recursive: true });
    faults = {
      openSync: ((name: string, ...rest: [number, number]) =>
        name.endsWith('reserve') ? failing('ENOSPC')() : NODE_DISK.openSync(name, ...rest)) as never,
    };
    await expectWhole(path, 2);
    expect(journal.warnings).toContainEqual(expect.stringMatching(/reserve.*ENOSPC/));
  });

  it('gets it back from a foreign file, which is kept', async () => {
    const { path } = begun();
    rmSync(path);
    writeFileSync(path, 'theirs');
    await expectWhole(path, 2);
    expect(readFileSync(`${path}.foreign-1`, 'utf8')).toBe('theirs');
    expect(journal.warnings).toContainEqual(expect.stringMatching(new RegExp(`${path} .*${path}.foreign-1$`)));
  });

  it('is not taken for gone by a look that failed', async () => {
    const { path } = begun();
    let looks = 0;
    faults = {
      lstatSync: ((name: string, options: object) =>
        name === path && (looks += 1) === 1 ? failing('EIO')() : NODE_DISK.lstatSync(name, options)) as never,
    };
    await expectWhole(path, 2);
    expect(journal.warnings).toEqual([]);
  });

  it('is kept elsewhere when the working directory is removed, and one warning says where', async () => {
    const work = join(workingDir, 'work');
    mkdirSync(work);
    const warnings: string[] = [];
    const { runId } = create({ workingDir: work, onWarning: (message) => warnings.push(message) });
    const { record } = findRunPlaces(work, runId, environment());
    journal.append({ type: 'paused' }, 1);
    rmSync(work, { recursive: true });
    journal.append({ type: 'paused' }, 2);
    await journal.synced?.();
    await journal.close();
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`${work} is gone; .*${folderOf(record)}$`))]);
    expect((await verifyJournal(join(folderOf(record), 'journal.jsonl'))).events).toBe(2);
  });

  it('is lost with a working directory that held it, and the error says so', () => {
    const work = join(workingDir, 'work');
    mkdirSync(work);
    create({ workingDir: work, records: 'project' });
    journal.append({ type: 'paused' }, 1);
    rmSync(work, { recursive: true });
    expect(() => journal.append({ type: 'paused' }, 2)).toThrow(
      new RegExp(`the working directory ${work} is gone: .*record`),
    );
  });

  it.each<[string, Partial<Disk>, string]>([
    ['no file can be made', { openSync: failing('EMFILE') }, 'restore'],
    ['no folder can be made', { mkdirSync: failing('EROFS') }, 'make the folder'],
  ])('takes no more events when nothing but the open file is left and %s', (_, wrong, what) => {
    const { path } = begun();
    rmSync(dirname(path), { recursive: true });
    faults = wrong;
    expect(() => journal.append({ type: 'tick' }, 2)).toThrow(FileSystemError);
    expect(() => journal.append({ type: 'tick' }, 2)).toThrow(`cannot ${what} ${dirname(path)}`);
    faults = {};
    expect(journal.append({ type: 'tick' }, 2).seq).toBe(2);
  });

  it('does not make a shorter record of itself when it was cut and removed', () => {
    const { path } = begun();
    truncateSync(path, 0);
    rmSync(path);
    expect(() => journal.append({ type: 'tick' }, 2)).toThrow('it ended before its end');
    expect(existsSync(path)).toBe(false);
  });

  it('stays in its open file when a copy of it cannot be synced', async () => {
    const { path } = begun();
    rmSync(path);
    faults = { fdatasyncSync: failing('EIO') };
    expect(() => journal.append({ type: 'tick' }, 2)).toThrow(`cannot restore ${path}: EIO`);
    faults = {};
    await expectWhole(path, 2);
  });

  it('takes no more events while its size cannot be found out, and the next ones after that', async () => {
    const { path } = begun();
    faults = { fstatSync: failing('EIO') };
    expect(() => journal.append({ type: 'paused' }, 1)).toThrow(`cannot write to ${path}: EIO: injected`);
    faults = {};
    await expectWhole(path, 2);
  });
});

describe('a record that another process writes to', () => {
  it('is freed of what is not its own, which is kept', async () => {
    const { path } = begun();
    appendFileSync(path, 'theirs');
    await expectWhole(path, 2);
    expect(readFileSync(`${path}.cut-1`, 'utf8')).toBe('theirs');
    expect(journal.warnings).toEqual([
      expect.stringMatching(new RegExp(`another process.* ${path}; .*${path}.cut-1$`)),
    ]);
  });

  it('takes no more events when it was cut', () => {
    const { path } = begun();
    const { size } = statSync(path);
    truncateSync(path, 10);
    expect(() => journal.append({ type: 'tick' }, 2)).toThrow(
      new RegExp(`^cannot write to ${path}: another process .*${size} to 10 bytes`),
    );
  });

  it('is left to another writer that began after its lock was deleted by hand', () => {
    const { path } = begun();
    const lock = join(dirname(path), 'lock');
    writeFileSync(lock, JSON.stringify(newHolder(journal.runId, new Date())));
    appendFileSync(path, 'the record of the other');
    expect(() => journal.append({ type: 'tick' }, 2)).toThrow(LockedError);
    expect(readFileSync(path, 'utf8')).toContain('the record of the other');
  });
});

describe('what stands in the way of a file of ours', () => {
  it('is moved away from state.json when it is a folder', async () => {
    const { path } = begun();
    const snapshot = join(dirname(path), 'state.json');
    rmSync(snapshot);
    mkdirSync(snapshot);
    await journal.close();
    expect(journal.warnings).toEqual([
      expect.stringMatching(new RegExp(`^a folder .*${snapshot} .*${snapshot}.foreign-1$`)),
    ]);
    expect(JSON.parse(readFileSync(snapshot, 'utf8'))).toMatchObject({ seq: 1 });
  });

  it('is an error when it is a pipe with the name of the record', async () => {
    const { path } = begun();
    await journal.close();
    rmSync(path);
    execFileSync('mkfifo', [path]);
    const open = () => openFileJournal({ workingDir, runId: journal.runId, environment: environment() });
    expect(open).toThrow(new RegExp(`^cannot open ${path}: .*not a regular file`));
    expect(existsSync(join(dirname(path), 'lock'))).toBe(false);
  });
});

describe('state.json', () => {
  it('is left as it is when a number of the state would be lost in it', () => {
    const { path } = begun();
    const snapshot = join(dirname(path), 'state.json');
    const before = readFileSync(snapshot);
    const warnings = createWarnings();
    const places = findRunPlaces(workingDir, journal.runId, environment());
    const setting = { disk, places, warnings };
    expect(replaceSnapshot(() => undefined, setting)).toBe(false);
    expect(readFileSync(snapshot)).toEqual(before);
    expect(warnings.list).toEqual([]);
    expect(replaceSnapshot(() => Buffer.from('new'), setting)).toBe(true);
    expect(readFileSync(snapshot, 'utf8')).toBe('new');
    const broken = () => {
      throw new Error('no room');
    };
    expect(replaceSnapshot(broken, setting)).toBe(false);
    expect(warnings.list).toEqual([`cannot write ${snapshot}: no room`]);
  });

  it('that cannot be written leaves no half of it behind, and the run goes on', async () => {
    const { path } = begun();
    faults = { renameSync: failing('EIO') };
    await journal.close();
    expect(journal.warnings).toEqual([`cannot write ${join(dirname(path), 'state.json')}: EIO: injected`]);
    expect(existsSync(join(dirname(path), 'state.json.new'))).toBe(false);
  });
});

describe('a journal without a redactor', () => {
  it('keeps the secrets of the environment out of the record', () => {
    const { path } = create({ environment: { XDG_STATE_HOME: join(workingDir, 'state'), A_TOKEN: 't0p-s3cret-word' } });
    journal.append({ type: 'agent-said', text: 'it is t0p-s3cret-word' }, 1);
    expect(readFileSync(path, 'utf8')).toContain('it is [A_TOKEN]');
  });
});
