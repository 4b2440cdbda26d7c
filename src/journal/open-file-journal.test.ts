import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LockedError } from '../model/errors.js';
import { type Disk, folderOf, NODE_DISK } from './disk.js';
import type { FileJournal } from './file-journal.js';
import { createFileJournal, type FileJournalOptions, openFileJournal } from './open-file-journal.js';
import { ownIdentity } from './lock.js';
import { findSecondHome, newRunId } from './run-places.js';

let workingDir: string;
let open: FileJournal[];

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-locks-'));
  open = [];
});
afterEach(async () => {
  for (const journal of open) await journal.close().catch(() => undefined);
  rmSync(workingDir, { recursive: true });
});

const dead = { ...ownIdentity(), pid: 2 ** 30, startTime: '1' };
const environment = () => ({ XDG_STATE_HOME: join(workingDir, 'state') });

function create(options?: Partial<FileJournalOptions> & { readonly runId?: string }): FileJournal {
  const journal = createFileJournal({ workingDir, environment: environment(), ...options });
  open.push(journal);
  return journal;
}

describe('the locks of a run', () => {
  it('name the runs of the tree whose writer died, and not the run itself', () => {
    const { runId } = create({ self: dead });
    const resumed = openFileJournal({ workingDir, environment: environment(), runId, self: dead });
    expect(resumed.deadRuns).toEqual([]);
    open.push(resumed);
    expect(create().deadRuns).toEqual([runId]);
  });

  it('are refused inside the folder of a run, in words that lead there', () => {
    const above = create();
    const inside = makeFolder('inside');
    const start = () => create({ workingDir: inside });
    expect(start).toThrow(LockedError);
    expect(start).toThrow(`pawl stop ${above.runId} --cwd ${JSON.stringify(workingDir)}`);
    expect(existsSync(join(inside, '.ralph'))).toBe(false);
  });

  it('are all given back when one of them cannot be had', () => {
    writeFileSync(join(workingDir, '.ralph'), 'in the way');
    expect(() => create()).toThrow(/not a folder; move it/);
    rmSync(join(workingDir, '.ralph'));
    expect(create().deadRuns).toEqual([]);
  });

  it('are not kept, nor is anything else, in a folder that a planted link leads to', () => {
    const elsewhere = makeFolder('elsewhere');
    mkdirSync(join(workingDir, '.ralph'));
    symlinkSync(elsewhere, join(workingDir, '.ralph', 'runs'));
    expect(() => create()).toThrow(/symbolic link; move it/);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(join(workingDir, '.ralph', 'runs'));
    const { tree } = findSecondHome(realpathSync(workingDir), environment());
    rmSync(folderOf(tree), { recursive: true });
    symlinkSync(elsewhere, folderOf(tree));
    expect(create().warnings[0]).toMatch(/^the working tree is locked under one name only: .*symbolic link/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('are one less where nothing can be kept outside the tree, which is said', () => {
    writeFileSync(join(workingDir, 'state'), 'in the way');
    const journal = create();
    expect(journal.warnings).toEqual([
      expect.stringMatching(/state cannot be used .*, so the record is kept in .*\.ralph\/runs/),
      expect.stringMatching(/one name only: /),
    ]);
    expect(() => create()).toThrow(LockedError);
  });

  it('are put back at the next boundary, and when that fails the run goes on', () => {
    let fails = false;
    const linkSync: Disk['linkSync'] = (from, to) => {
      if (fails && String(to).endsWith('lock')) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
      NODE_DISK.linkSync(from, to);
    };
    const journal = create({ disk: { ...NODE_DISK, linkSync } });
    const lock = join(workingDir, '.ralph', 'lock');
    rmSync(lock);
    fails = true;
    expect(journal.append({ type: 'paused' }, 1).seq).toBe(1);
    expect(journal.warnings).toEqual([expect.stringMatching(/lock .*not be restored: EIO: injected/)]);
    fails = false;
    journal.append({ type: 'paused' }, 1);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ runId: journal.runId });
  });

  it('are not taken for a run that has begun already', async () => {
    const runId = newRunId();
    await create({ runId }).close();
    const before = readFileSync(join(workingDir, '.ralph', 'runs', runId, 'journal.jsonl'));
    expect(() => create({ runId })).toThrow('EEXIST');
    expect(readFileSync(join(workingDir, '.ralph', 'runs', runId, 'journal.jsonl'))).toEqual(before);
  });
});

function makeFolder(name: string): string {
  const path = join(workingDir, name);
  mkdirSync(path);
  return path;
}
