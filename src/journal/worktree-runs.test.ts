import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { started } from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { WorktreeSpec } from '../model/run-spec.js';
import { idleStamp, isOfWorktree, listRuns, locateRun, worktreeFolders } from './list-runs.js';
import { createFileJournal } from './open-file-journal.js';

let folder: string;
let repository: string;
const environment = () => ({ XDG_STATE_HOME: join(folder, 'state') });

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-worktree-runs-')));
  repository = join(folder, 'repo');
  mkdirSync(join(repository, 'sub'), { recursive: true });
  writeFileSync(join(repository, 'sub', 'file'), '');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=User', '-c', 'user.email=user@localhost', 'commit', '--quiet', '--message=first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stderr } = spawnSync('git', args, { cwd: repository, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

function addWorktree(name: string): WorktreeSpec {
  const path = join(folder, 'worktrees', name);
  git('worktree', 'add', '--quiet', '-b', `pawl/${name}`, path);
  return { path, branch: `pawl/${name}`, repository };
}

/** A run that is under way. */
function begun(workingDir: string, worktree?: WorktreeSpec) {
  const journal = createFileJournal({ workingDir, environment: environment() });
  const { spec } = resolveConfig({ workingDir });
  journal.append(started(spec.policy, { runId: journal.runId, spec: { ...spec, worktree } }), 0);
  return journal;
}

async function ended(workingDir: string, worktree?: WorktreeSpec): Promise<string> {
  const journal = begun(workingDir, worktree);
  await journal.close();
  return journal.runId;
}

const idsIn = (place: string) => listRuns(place, environment()).map(({ runId }) => runId);

it('records of worktrees that lead nowhere, or back to the folder itself, name no other folder', () => {
  const commonDir = join(repository, '.git');
  const records = { gone: undefined, folder: '', self: join(repository, '.git'), one: join(folder, 'one', '.git') };
  expect(worktreeFolders(repository, { workTree: repository, gitDir: commonDir, commonDir })).toEqual([]);
  for (const [name, target] of Object.entries(records)) {
    mkdirSync(join(commonDir, 'worktrees', name, ...(target === '' ? ['gitdir'] : [])), { recursive: true });
    if (target) writeFileSync(join(commonDir, 'worktrees', name, 'gitdir'), `${target}\n`);
  }
  expect(worktreeFolders(join(repository, 'sub'), { workTree: repository, gitDir: commonDir, commonDir })).toEqual([
    join(folder, 'one', 'sub'),
  ]);
});

it('a run of which nothing but its beginning is known is of no worktree', () => {
  expect(isOfWorktree({ workingDir: repository }, repository, repository)).toBe(false);
});

describe('the runs of worktrees', () => {
  it('are among those of the tree that they were made from, with who writes them', async () => {
    const worktree = addWorktree('one');
    const own = await ended(repository);
    const journal = begun(worktree.path, worktree);
    expect(idsIn(repository)).toEqual([own, journal.runId]);
    expect(locateRun(repository, journal.runId, environment())).toMatchObject({
      workingDir: worktree.path,
      folder: join(folder, 'state', 'pawl', 'runs', journal.runId),
      holder: { pid: process.pid },
    });
    await journal.close();
    expect(locateRun(repository, journal.runId, environment()).holder).toBeUndefined();
    expect(idsIn(worktree.path)).toEqual([journal.runId]);
  });

  it('are not when the user made the worktree, or it was made from another tree', async () => {
    const [one, two] = [addWorktree('one'), addWorktree('two')];
    await ended(one.path);
    const other = await ended(two.path, { ...two, repository: one.path });
    expect(idsIn(repository)).toEqual([]);
    expect(idsIn(one.path)).toContain(other);
  });

  it('of others, which share the index of the repository, are not taken for the latest run of a tree', async () => {
    const [one, two] = [addWorktree('one'), addWorktree('two')];
    const own = await ended(repository);
    await ended(two.path, { ...two, repository: one.path });
    expect(locateRun(repository, undefined, environment()).runId).toBe(own);
  });

  it('are listed with those whose snapshot is damaged', async () => {
    const [own, worktree] = [await ended(repository), addWorktree('one')];
    const other = await ended(worktree.path, worktree);
    writeFileSync(join(repository, '.ralph', 'runs', own, 'state.json'), 'x');
    expect(idsIn(repository)).toEqual([own, other]);
  });

  it('count as being written, and a worktree that is gone does not', async () => {
    const [one, two] = [addWorktree('one'), addWorktree('two')];
    rmSync(two.path, { recursive: true });
    const before = idleStamp(repository, environment());
    expect(before).toEqual(expect.any(String));
    const journal = begun(one.path, one);
    expect(idleStamp(repository, environment())).toBeUndefined();
    await journal.close();
    expect(idleStamp(repository, environment())).not.toBe(before);
  });

  it('are known when the worktree is gone', async () => {
    const worktree = addWorktree('one');
    const runId = await ended(worktree.path, worktree);
    git('worktree', 'remove', worktree.path);
    expect(listRuns(repository, environment())).toMatchObject([
      { runId, workingDir: worktree.path, holder: undefined },
    ]);
  });

  it('are known by their links when nothing is noted of them', async () => {
    const worktree = addWorktree('one');
    const runId = await ended(worktree.path, worktree);
    rmSync(join(folder, 'state', 'pawl', 'index'), { recursive: true });
    expect(listRuns(repository, environment())).toMatchObject([{ runId }]);
    expect(locateRun(repository, undefined, environment())).toMatchObject({ runId, workingDir: worktree.path });
  });

  it('belong to the folder that they took place in, and to those above it', async () => {
    const worktree = addWorktree('one');
    const [top, sub] = [await ended(worktree.path, worktree), await ended(join(worktree.path, 'sub'), worktree)];
    expect(idsIn(repository)).toEqual([top, sub]);
    expect(idsIn(join(repository, 'sub'))).toEqual([sub]);
    expect(locateRun(repository, sub, environment())).toMatchObject({
      workingDir: join(worktree.path, 'sub'),
    });
  });

  it('do not hold up the list when what git keeps of a worktree is not a file', async () => {
    const records = join(repository, '.git', 'worktrees', 'odd');
    mkdirSync(records, { recursive: true });
    spawnSync('mkfifo', [join(records, 'gitdir')]);
    const own = await ended(repository);
    expect(idsIn(repository)).toEqual([own]);
  });
});
