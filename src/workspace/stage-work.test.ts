import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { commitWork } from './commit-work.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-nested-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const environment = {
  PATH: process.env['PATH'],
  HOME: base,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  LC_ALL: 'de_DE.UTF-8',
};
let tree = '';
let since = '';
let warnings: string[] = [];

const gitIn = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: join(tree, folder),
    encoding: 'utf8',
    env: environment,
    stdio: 'pipe',
  }).trim();
const git = (...args: string[]) => gitIn('.', ...args);
const write = (name: string, text: string) => {
  mkdirSync(join(tree, name, '..'), { recursive: true });
  writeFileSync(join(tree, name), text);
};
const files = () =>
  git('-c', 'core.quotePath=false', 'ls-tree', '-r', 'HEAD', '--format=%(objectmode) %(path)').split('\n');
const commit = () =>
  commitWork({ folder: tree, environment, message: 'm', since, warn: (warning) => warnings.push(warning) });

/** A repository in the tree, with a commit unless it is told not to have one. */
function nest(folder: string, hasCommit = true): void {
  mkdirSync(join(tree, folder), { recursive: true });
  gitIn(folder, 'init', '-q');
  write(`${folder}/inside`, folder);
  if (!hasCommit) return;
  gitIn(folder, 'add', 'inside');
  gitIn(folder, 'commit', '-qm', 'of its own');
}

beforeEach(() => {
  tree = mkdtempSync(join(base, 'tree-'));
  warnings = [];
  git('init', '-q');
  write('a', '1');
  git('add', '-A');
  git('commit', '-qm', 'first');
  since = git('rev-parse', 'HEAD');
});

describe('a repository that an agent made in the tree', () => {
  it('is committed with its files, and keeps its own history', async () => {
    nest('app');
    write('app/deep/more', 'x');
    write('app/.gitignore', 'left-out\n');
    write('app/left-out', 'y');
    expect(await commit()).toHaveProperty('commit');
    expect(files()).toEqual(['100644 a', '100644 app/.gitignore', '100644 app/deep/more', '100644 app/inside']);
    expect(gitIn('app', 'log', '--format=%s')).toBe('of its own');
    expect(git('status', '--porcelain')).toBe('');
    write('app/inside', 'changed');
    await commit();
    expect(warnings).toEqual([expect.stringMatching(/^app .*repository.*files.*history/)]);
  });

  it('is committed with what it changes later, and is gone when it is removed', async () => {
    nest('app');
    await commit();
    write('app/inside', 'changed');
    write('app/new', 'x');
    gitIn('app', 'add', '-A');
    gitIn('app', 'commit', '-qm', 'more');
    await commit();
    expect(git('show', 'HEAD:app/inside')).toBe('changed');
    expect(files()).toContain('100644 app/new');
    rmSync(join(tree, 'app'), { recursive: true });
    await commit();
    expect(files()).toEqual(['100644 a']);
  });

  it('may have no commit, be one of many, lie in another, or have an odd name', async () => {
    nest('no commit', false);
    nest('outer/inner', false);
    nest('outer');
    nest('outer/deeper/ümlaut "x"\n');
    nest('empty');
    rmSync(join(tree, 'empty', 'inside'));
    expect(await commit()).toHaveProperty('commit');
    expect(git('ls-tree', '-rz', 'HEAD', '--name-only').split('\0')).toEqual([
      'a',
      'no commit/inside',
      'outer/deeper/ümlaut "x"\n/inside',
      'outer/inner/inside',
      'outer/inside',
      '',
    ]);
    expect(files().some((entry) => entry.startsWith('160000'))).toBe(false);
    expect(await commit()).toEqual({ nothing: true });
  });

  it('is committed with its files after the agent has committed a link to it', async () => {
    nest('app');
    git('add', '-A');
    git('commit', '-qm', 'by the agent');
    expect(files()).toContain('160000 app');
    expect(await commit()).toHaveProperty('commit');
    expect(files()).toEqual(['100644 a', '100644 app/inside']);
  });

  it('that is ignored stays so', async () => {
    write('.gitignore', 'cache\n');
    nest('cache');
    await commit();
    expect(files()).toEqual(['100644 .gitignore', '100644 a']);
  });

  it('that is another working tree of the same repository is left out, and that is said', async () => {
    git('worktree', 'add', '-q', 'trees/other');
    write('b', '2');
    nest('app');
    expect(await commit()).toHaveProperty('commit');
    expect(files()).toEqual(['100644 a', '100644 app/inside', '100644 b']);
    expect(warnings).toContainEqual(expect.stringContaining('trees/other is another working tree'));
    expect(existsSync(join(tree, 'trees/other/a'))).toBe(true);
    expect(await commit()).toEqual({ nothing: true });
  });

  it('on one machine is committed as a link, and that is said', async () => {
    nest('app');
    const warn = (warning: string) => warnings.push(warning);
    expect(await commitWork({ folder: tree, environment, message: 'm', warn })).toHaveProperty('commit');
    expect(files()).toContain('160000 app');
    expect(warnings).toEqual([expect.stringMatching(/^app .*repository/)]);
  });
});

describe('a submodule', () => {
  beforeEach(() => {
    const library = mkdtempSync(join(base, 'library-'));
    execFileSync('git', ['clone', '-q', '--bare', tree, library], { env: environment });
    git('submodule', 'add', '-q', library, 'module');
    git('commit', '-qm', 'with a submodule');
    since = git('rev-parse', 'HEAD');
  });

  it('stays what it is, checked out or not', async () => {
    write('a', '2');
    await commit();
    expect(files()).toContain('160000 module');
    git('submodule', '--quiet', 'deinit', '--force', 'module');
    write('a', '3');
    await commit();
    expect(files()).toContain('160000 module');
  });

  it('that the agent has moved to a commit which was pushed stays one', async () => {
    write('module/new', 'x');
    gitIn('module', 'add', '-A');
    gitIn('module', 'commit', '-qm', 'more');
    expect(await commit()).toEqual({
      error: expect.stringMatching(/submodule module .*pushed/),
    });
    gitIn('module', 'push', '-q', 'origin', 'HEAD');
    expect(await commit()).toHaveProperty('commit');
    expect(git('ls-tree', 'HEAD', 'module')).toContain(gitIn('module', 'rev-parse', 'HEAD'));
  });
});

it('a repository that was made anew is told in words', async () => {
  rmSync(join(tree, '.git'), { recursive: true });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'anew');
  expect(await commit()).toEqual({ error: expect.stringContaining('is gone from the repository') });
});
