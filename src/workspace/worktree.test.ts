import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MadeWorktree, makeWorktree, planWorktree, type WorktreePlan } from './worktree.js';

let folder: string;
let repository: string;
let home: string;
const environment = () => ({
  PATH: process.env['PATH'],
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'User',
  GIT_AUTHOR_EMAIL: 'user@localhost',
  GIT_COMMITTER_NAME: 'User',
  GIT_COMMITTER_EMAIL: 'user@localhost',
});

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-make-worktree-')));
  repository = join(folder, 'repo');
  home = join(folder, 'state', 'pawl', 'worktrees');
  mkdirSync(join(repository, 'sub'), { recursive: true });
  writeFileSync(join(repository, 'sub', 'file'), 'text\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: repository,
    env: environment(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const plan = (name = 'try', workingDir = repository) =>
  planWorktree({ workingDir, name, home, environment: environment() });

async function planned(name?: string, workingDir?: string): Promise<WorktreePlan> {
  const found = await plan(name, workingDir);
  if ('error' in found) throw new Error(found.error);
  return found;
}

async function made(name?: string): Promise<MadeWorktree> {
  const worktree = await makeWorktree(await planned(name), environment());
  if ('error' in worktree) throw new Error(worktree.error);
  return worktree;
}

/** Everything in the repository that a worktree leaves a trace in. */
function traces() {
  return {
    refs: git('for-each-ref', '--format=%(refname)'),
    worktrees: git('worktree', 'list', '--porcelain'),
    hasState: existsSync(join(folder, 'state')),
  };
}

describe('a worktree', () => {
  it('is planned without a trace', async () => {
    const before = traces();
    const index = readFileSync(join(repository, '.git', 'index'));
    expect(await plan('try', join(repository, 'sub'))).toEqual({
      repository,
      path: expect.stringMatching(/\/state\/pawl\/worktrees\/repo-[0-9a-f]{8}\/try$/),
      branch: 'pawl/try',
      base: git('rev-parse', 'HEAD'),
      prefix: 'sub/',
      uncommitted: 0,
    });
    expect(traces()).toEqual(before);
    expect(readFileSync(join(repository, '.git', 'index'))).toEqual(index);
  });

  it('counts what is not committed, whatever the names', async () => {
    writeFileSync(join(repository, 'two\nlines'), '');
    writeFileSync(join(repository, 'sub', 'file'), 'other\n');
    git('mv', 'sub/file', 'sub/moved');
    expect(await plan()).toMatchObject({ uncommitted: 3 });
  });

  it('begins with HEAD on a branch of its own, and runs no hook of the user', async () => {
    const hook = join(repository, '.git', 'hooks', 'post-checkout');
    mkdirSync(join(repository, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${join(folder, 'hooked')}\n`);
    chmodSync(hook, 0o755);
    const { path } = await made('feature/one');
    expect(readFileSync(join(path, 'sub', 'file'), 'utf8')).toBe('text\n');
    expect(git('-C', path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/pawl/feature/one');
    expect(existsSync(join(folder, 'hooked'))).toBe(false);
  });

  it('is discarded with its branch and its folders as long as nothing was done there', async () => {
    const before = traces();
    const worktree = await made();
    await worktree.discard();
    expect(traces()).toEqual(before);
  });

  it('is not discarded when there is work in it', async () => {
    const [changed, committed] = [await made('changed'), await made('committed')];
    writeFileSync(join(changed.path, 'work'), '');
    git('-C', committed.path, 'commit', '--quiet', '--allow-empty', '--message=work');
    await changed.discard();
    await committed.discard();
    expect(existsSync(join(changed.path, 'work'))).toBe(true);
    expect(git('log', '--format=%s', 'main..pawl/committed')).toBe('work');
  });
});

describe('a worktree that cannot be made', () => {
  it('is refused in words', async () => {
    git('branch', 'pawl/taken');
    mkdirSync(join(repository, 'new'));
    const outside = mkdtempSync(join(folder, 'outside-'));
    expect(await plan('taken')).toEqual({ error: expect.stringMatching(/branch pawl\/taken already.*NAME/) });
    expect(await plan('a..b')).toEqual({ error: expect.stringMatching(/"a\.\.b" cannot be/) });
    expect(await plan('try', outside)).toEqual({
      error: expect.stringMatching(new RegExp(`${outside} .*git repository`)),
    });
    expect(await plan('try', join(repository, 'new'))).toEqual({
      error: expect.stringMatching(/new\/ .*last commit/),
    });
    const { path } = await planned();
    mkdirSync(path, { recursive: true });
    expect(await plan()).toEqual({ error: expect.stringMatching(new RegExp(`^${path} .*NAME`)) });
  });

  it('takes nothing away from the one who was first', async () => {
    const late = await planned();
    const { path } = await made();
    expect(await makeWorktree(late, environment())).toEqual({ error: expect.stringContaining('already exists') });
    expect(existsSync(join(path, 'sub', 'file'))).toBe(true);
    expect(git('rev-parse', 'pawl/try')).toBe(late.base);
  });

  it('leaves a branch alone that somebody else made meanwhile', async () => {
    const late = await planned();
    git('branch', 'pawl/try');
    const before = traces();
    expect(await makeWorktree(late, environment())).toEqual({
      error: expect.stringContaining('the branch pawl/try cannot be made'),
    });
    expect(traces()).toEqual(before);
  });

  it('leaves nothing behind when the checkout fails', async () => {
    const before = traces();
    const found = await planned();
    git('config', 'filter.broken.smudge', 'false');
    git('config', 'filter.broken.required', 'true');
    writeFileSync(join(repository, '.git', 'info', 'attributes'), '* filter=broken\n');
    expect(await makeWorktree(found, environment())).toEqual({ error: expect.stringContaining('cannot be made') });
    expect(traces()).toEqual(before);
  });

  it('leaves nothing behind when it is stopped in the middle of the checkout', async () => {
    const before = traces();
    const found = await planned();
    git('config', '--global', 'filter.slow.smudge', `touch ${join(folder, 'slow')}; sleep 30; cat`);
    writeFileSync(join(repository, '.git', 'info', 'attributes'), '* filter=slow\n');
    const stop = new AbortController();
    const making = makeWorktree(found, environment(), stop.signal);
    await expect.poll(() => existsSync(join(folder, 'slow')), { timeout: 60_000, interval: 20 }).toBe(true);
    stop.abort();
    expect(await making).toEqual({ error: expect.stringContaining('git worktree was stopped') });
    expect(traces()).toEqual(before);
    expect(readdirSync(join(repository, '.git'))).not.toContain('worktrees');
  });
});
