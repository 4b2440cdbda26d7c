import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { started } from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import { LockedError } from '../model/errors.js';
import { deleteRun, sizeOfFolder, sizeOfRun } from './delete-run.js';
import { type Disk, NODE_DISK, folderOf } from './disk.js';
import { findHolders } from './find-holders.js';
import { listRuns, locateRun } from './list-runs.js';
import { createFileJournal } from './open-file-journal.js';
import { findSecondHome } from './run-places.js';

let workingDir: string;
const environment = () => ({ XDG_STATE_HOME: join(workingDir, 'state') });
const state = () => join(workingDir, 'state', 'pawl');
const secondRuns = () => folderOf(findSecondHome(workingDir, environment()).runs);

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-delete-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(workingDir, { recursive: true });
});

function begun() {
  const journal = createFileJournal({ workingDir, environment: environment() });
  journal.append({ type: 'paused' }, 1);
  return journal;
}

async function ended() {
  const journal = begun();
  await journal.close();
  return locateRun(workingDir, journal.runId, environment());
}

describe('deleting a run', () => {
  it('takes away its record, its links and what is noted of it, and no other run', async () => {
    const [one, two] = [await ended(), await ended()];
    deleteRun(one, workingDir, environment());
    expect(listRuns(workingDir, environment()).map(({ runId }) => runId)).toEqual([two.runId]);
    expect(readdirSync(join(workingDir, '.ralph', 'runs'))).toEqual([two.runId]);
    const [index] = readdirSync(join(state(), 'index'));
    for (const folder of ['runs', join('index', index ?? '')]) {
      expect(readdirSync(join(state(), folder))).toEqual([two.runId]);
    }
  });

  it('takes away what is left of it when its links are gone', async () => {
    const run = await ended();
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    const left = locateRun(workingDir, run.runId, environment());
    deleteRun(left, workingDir, environment());
    expect(listRuns(workingDir, environment())).toEqual([]);
  });

  it('takes away the second names that version 0.1 gave it', async () => {
    const run = await ended();
    const second = join(secondRuns(), run.runId);
    cpSync(run.folder, second, { recursive: true });
    deleteRun(run, workingDir, environment());
    expect([listRuns(workingDir, environment()), existsSync(second)]).toEqual([[], false]);
  });

  it('takes away the file that names its session, and no other', async () => {
    const stateDir = join(workingDir, 'sessions');
    mkdirSync(stateDir);
    const { spec } = resolveConfig({ workingDir, session: { stateDir } });
    const withSession = async () => {
      const journal = createFileJournal({ workingDir, environment: environment() });
      journal.append(started(spec.policy, { runId: journal.runId, spec }), 0);
      await journal.close();
      writeFileSync(join(stateDir, `${journal.runId}.json`), '{}');
      return locateRun(workingDir, journal.runId, environment());
    };
    const [one, two] = [await withSession(), await withSession()];
    deleteRun(one, workingDir, environment());
    expect(readdirSync(stateDir)).toEqual([`${two.runId}.json`]);
    rmSync(stateDir, { recursive: true });
    deleteRun(two, workingDir, environment());
    expect(listRuns(workingDir, environment())).toEqual([]);
  });

  it('takes away one whose state nobody can read', async () => {
    const { folder, runId } = await ended();
    writeFileSync(join(folder, 'state.json'), 'x');
    deleteRun(locateRun(workingDir, runId, environment()), workingDir, environment());
    expect(listRuns(workingDir, environment())).toEqual([]);
  });

  it('that fails says what could not be deleted, and locks nobody out', async () => {
    const run = await ended();
    vi.spyOn(Date, 'now').mockReturnValue(7);
    writeFileSync(join(state(), 'runs', `.deleted-${process.pid}-7`), 'in the way');
    expect(() => deleteRun(run, workingDir, environment())).toThrow(`cannot delete ${run.folder}: `);
    expect(readdirSync(run.folder)).not.toContain('lock');
  });

  it('is refused while somebody writes it, and takes nothing away', async () => {
    const journal = begun();
    const run = locateRun(workingDir, journal.runId, environment());
    expect(() => deleteRun(run, workingDir, environment())).toThrow(LockedError);
    expect(existsSync(journal.path)).toBe(true);
    // By either of the two locks of the tree.
    rmSync(join(dirname(secondRuns()), 'lock'));
    expect(findHolders(workingDir, environment()).map(({ runId }) => runId)).toEqual([journal.runId]);
    await journal.close();
    expect(readdirSync(run.folder)).not.toContain('lock');
  });

  it('completes a deletion that was killed before', async () => {
    const run = await ended();
    const half = join(state(), 'runs', '.deleted-1-1');
    mkdirSync(join(half, 'raw'), { recursive: true });
    deleteRun(run, workingDir, environment());
    expect(existsSync(half)).toBe(false);
  });
});

describe('the size of a run', () => {
  it('counts a file with two names once, and folders with what is in them', async () => {
    const run = await ended();
    mkdirSync(join(run.folder, 'raw'));
    writeFileSync(join(run.folder, 'raw', 'output'), 'x'.repeat(20_000));
    const files = ['journal.jsonl', 'state.json', join('raw', 'output')];
    const bytes = files.reduce((sum, name) => sum + statSync(join(run.folder, name)).blocks * 512, 0);
    expect(sizeOfRun(run, workingDir, environment())).toBe(bytes);
    linkSync(join(run.folder, 'raw', 'output'), join(run.folder, 'raw', 'again'));
    expect(sizeOfFolder(run.folder)).toBe(bytes);
  });

  it('is that of what is left when files go away while they are counted', () => {
    for (const name of ['stays', 'goes']) writeFileSync(join(workingDir, name), 'x'.repeat(5000));
    const lstatSync = ((path: string, options: object) => {
      if (path.endsWith('goes')) rmSync(path);
      return NODE_DISK.lstatSync(path, options);
    }) as Disk['lstatSync'];
    const bytes = statSync(join(workingDir, 'stays')).blocks * 512;
    expect(sizeOfFolder(workingDir, undefined, { ...NODE_DISK, lstatSync })).toBe(bytes);
  });

  it('of a folder that is not there is nothing', () => {
    expect(sizeOfFolder(join(workingDir, 'nowhere'))).toBe(0);
  });
});
