import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitWork } from './commit-work.js';

let base = '';
let tree = '';
let since = '';
const environment = () => ({ PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1' });
const gitIn = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd,
    env: environment(),
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
const git = (...args: readonly string[]) => gitIn(tree, ...args);
/** What a commit holds, asked in a way that no setting of the repository can bend. */
const filesOf = (commit: string) =>
  gitIn(base, `--git-dir=${join(tree, '.git')}`, 'ls-tree', '-r', '--name-only', commit).split('\n');
const commit = () => commitWork({ folder: tree, environment: environment(), message: 'm', since });

async function committedFiles(): Promise<readonly string[]> {
  const made = await commit();
  if (!('commit' in made)) throw new Error(JSON.stringify(made));
  return filesOf(made.commit);
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-work-git-')));
  tree = join(base, 'tree');
  mkdirSync(tree);
  git('init', '-q');
  writeFileSync(join(tree, 'a'), '1');
  git('add', '-A');
  git('commit', '-qm', 'first');
  since = git('rev-parse', 'HEAD');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the work of a tree that is the run’s own', () => {
  it.for([
    ['core.worktree', (elsewhere: string) => elsewhere],
    ['core.bare', () => 'true'],
    ['core.hooksPath', (elsewhere: string) => elsewhere],
    ['include.path', (elsewhere: string) => join(elsewhere, 'config')],
    ['includeIf.gitdir:/.path', (elsewhere: string) => join(elsewhere, 'config')],
  ] as const)('is committed whatever an agent has set %s to', async ([key, valueIn]) => {
    const elsewhere = join(base, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'foreign'), 'not of the run');
    writeFileSync(join(elsewhere, 'pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    writeFileSync(join(elsewhere, 'config'), `[core]\nworktree = ${elsewhere}\nbare = true\n`);
    writeFileSync(join(tree, 'b'), '2');
    git('config', key, valueIn(elsewhere));
    expect(await committedFiles()).toEqual(['a', 'b']);
  });

  it('is seen although a monitor of the agent says that nothing changes', async () => {
    git('config', 'core.fsmonitor', `printf 'now\\0'`);
    git('update-index', '--fsmonitor');
    git('status');
    writeFileSync(join(tree, 'a'), 'changed');
    expect(git('status', '--porcelain')).toBe('');
    expect(await commit()).toHaveProperty('commit');
    expect(git('show', 'HEAD:a')).toBe('changed');
  });

  it('does not go into a repository above it when its own is gone', async () => {
    gitIn(base, 'init', '-q');
    gitIn(base, 'commit', '-q', '--allow-empty', '-m', 'of somebody else');
    rmSync(join(tree, '.git'), { recursive: true });
    writeFileSync(join(tree, 'b'), '2');
    expect(await commit()).toEqual({ error: expect.stringContaining('not a git repository') });
    expect(gitIn(base, 'status', '--porcelain')).toBe('?? tree/');
  });

  it('that is gone is said to be gone', async () => {
    rmSync(tree, { recursive: true });
    expect(await commit()).toEqual({ error: expect.stringContaining(`${tree} is gone`) });
  });
});
