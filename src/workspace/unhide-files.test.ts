import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { commitWork } from './commit-work.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-hidden-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const environment = {
  PATH: process.env['PATH'],
  HOME: base,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};
let tree = '';
let since = '';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: tree, encoding: 'utf8', env: environment, stdio: 'pipe' }).trim();
const write = (name: string, text: string) => writeFileSync(join(tree, name), text);
const commit = (more = {}) => commitWork({ folder: tree, environment, message: 'm', since, ...more });
const changed = () =>
  git('-c', 'core.quotePath=false', 'diff', '--name-status', '--no-renames', since, 'HEAD').split('\n');

beforeEach(() => {
  tree = mkdtempSync(join(base, 'tree-'));
  git('init', '-q');
  mkdirSync(join(tree, 'far'));
  for (const name of ['a', 'b', 'ü', 'far/c']) write(name, '1');
  git('add', '-A');
  git('commit', '-qm', 'first');
  since = git('rev-parse', 'HEAD');
});

describe('work that an agent has hidden from git', () => {
  it('is committed', async () => {
    git('update-index', '--assume-unchanged', 'a', 'ü');
    git('update-index', '--skip-worktree', 'b', 'ü', 'far/c');
    for (const name of ['a', 'b', 'ü']) write(name, '2');
    rmSync(join(tree, 'far'), { recursive: true });
    expect(await commit()).toHaveProperty('commit');
    expect(changed()).toEqual(['M\ta', 'M\tb', 'D\tfar/c', 'M\tü']);
  });

  it('stays hidden where the tree is the user’s, who may have hidden it', async () => {
    git('update-index', '--assume-unchanged', 'a');
    git('update-index', '--skip-worktree', 'b');
    for (const name of ['a', 'b', 'new']) write(name, '2');
    expect(await commit({ since: undefined })).toHaveProperty('commit');
    expect(changed()).toEqual(['A\tnew']);
  });
});

describe('a sparse checkout', () => {
  it('loses none of the files that it leaves out', async () => {
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/far/');
    expect(existsSync(join(tree, 'far'))).toBe(false);
    write('a', '2');
    expect(await commit()).toHaveProperty('commit');
    expect(changed()).toEqual(['M\ta']);
    expect(git('ls-files', '-t', 'far')).toBe('S far/c');
  });

  it('does not lose in silence what was made outside of it', async () => {
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/far/');
    mkdirSync(join(tree, 'far'));
    write('far/new', '2');
    expect(await commit()).toMatchObject({ error: expect.stringContaining('sparse-checkout') });
  });
});
