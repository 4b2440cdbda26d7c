import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitWork, uncommittedFiles } from '../../src/observation/commit-work.js';
import { makeWorktree } from '../../src/setup/make-worktree.js';
import { planWorktree } from '../../src/setup/plan-worktree.js';

let folder: string;
let repository: string;
let marks: string;
const environment = () => ({ PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' });
const WHO = ['-c', 'user.name=User', '-c', 'user.email=user@localhost', '-c', 'core.hooksPath=/dev/null'];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hostile-git-')));
  repository = join(folder, 'repo');
  marks = join(folder, 'marks');
  mkdirSync(join(repository, '.git-hooks'), { recursive: true });
  writeFileSync(marks, `#!/bin/sh\necho "$0 $*" >> '${folder}/executed'\ncat\n`, { mode: 0o755 });
  writeFileSync(join(repository, '.gitattributes'), '*.txt filter=mark diff=mark merge=mark\n');
  writeFileSync(join(repository, 'a.txt'), 'text\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git(...WHO, 'commit', '--quiet', '--message=first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: repository, env: environment(), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Everything that Pawl has git do in a repository of the user's; the errors that it reports. */
async function everything(): Promise<readonly string[]> {
  writeFileSync(join(repository, 'a.txt'), `${Math.random()}\n`);
  const place = { workingDir: repository, environment: environment() };
  const home = join(folder, 'worktrees');
  const plan = await planWorktree({ workingDir: repository, name: 'try', home, environment: environment() });
  const made = 'error' in plan ? plan : await makeWorktree(plan, environment());
  const listed = await uncommittedFiles(place);
  const committed = await commitWork({ ...place, message: 'work' });
  return [plan, made, listed, committed].flatMap((answer) => ('error' in answer ? [answer.error] : []));
}

const executed = () => existsSync(join(folder, 'executed')) && readFileSync(join(folder, 'executed'), 'utf8');

describe("of a repository's own config", () => {
  it.each([
    ['core.fsmonitor'],
    ['core.sshCommand'],
    ['core.askPass'],
    ['core.editor'],
    ['core.pager'],
    ['credential.helper'],
    ['diff.external'],
    ['diff.mark.command'],
    ['diff.mark.textconv'],
    ['gpg.program', 'commit.gpgSign=true', 'log.showSignature=true'],
    ['gpg.ssh.program', 'commit.gpgSign=true', 'gpg.format=ssh', 'user.signingKey=x'],
    ['merge.mark.driver'],
    ['gc.recentObjectsHook', 'gc.auto=1'],
    ['alias.add', 'alias.status=!false'],
  ])('%s is not executed, and the work goes on', async (key, ...others) => {
    git('config', key, key.startsWith('alias') ? `!${marks}` : marks);
    for (const other of others) git('config', ...other.split('='));
    expect(await everything()).toEqual([]);
    expect(executed()).toBe(false);
  });

  it.each(['filter.mark.clean', 'filter.mark.smudge', 'filter.mark.process'])(
    '%s is not executed, and no file is committed without its filter',
    async (key) => {
      git('config', key, marks);
      const head = git('rev-parse', 'HEAD');
      const [error] = await everything();
      expect(error).toMatch(/git filter mark .* git config --global filter\.mark\.(clean|smudge) COMMAND/);
      expect(executed()).toBe(false);
      expect(git('rev-parse', 'HEAD')).toBe(head);
    },
  );

  it('an included file, and a filter with a sign in its name that ends a setting, change nothing of that', async () => {
    writeFileSync(join(repository, '.gitattributes'), '*.txt filter=a=b\n');
    writeFileSync(join(folder, 'more'), `[filter "a=b"]\n  clean = ${marks}\n  smudge = ${marks}\n`);
    git('config', 'include.path', join(folder, 'more'));
    await everything();
    expect(executed()).toBe(false);
  });

  it('hooks are not executed', async () => {
    git('config', 'core.hooksPath', join(repository, '.git-hooks'));
    for (const name of ['pre-commit', 'post-checkout', 'post-commit', 'reference-transaction', 'post-index-change']) {
      writeFileSync(join(repository, '.git-hooks', name), readFileSync(marks), { mode: 0o755 });
    }
    expect(await everything()).toEqual([]);
    expect(executed()).toBe(false);
  });

  it('that of a submodule is not executed either', async () => {
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository, 'sub');
    git(...WHO, 'commit', '--quiet', '--message=sub');
    git('-C', 'sub', 'config', 'filter.mark.clean', marks);
    git('-C', 'sub', 'config', 'core.fsmonitor', marks);
    writeFileSync(join(repository, 'sub', 'a.txt'), 'other\n');
    expect(await everything()).toEqual([]);
    expect(executed()).toBe(false);
  });
});

describe("of the user's own config", () => {
  it('a filter is trusted, and the one of the repository by the same name does not replace it', async () => {
    appendFileSync(join(folder, '.gitconfig'), '[filter "mark"]\n  clean = tr a-z A-Z\n  smudge = tr A-Z a-z\n');
    git('config', 'filter.mark.clean', marks);
    git('config', 'filter.mark.smudge', marks);
    writeFileSync(join(repository, 'b.txt'), 'shout\n');
    expect(await everything()).toEqual([]);
    expect(git('show', 'HEAD:b.txt')).toBe('SHOUT');
    expect(executed()).toBe(false);
  });

  it('a filter that the repository replaces by one of another kind fails: no file is committed without it', async () => {
    appendFileSync(join(folder, '.gitconfig'), '[filter "mark"]\n  clean = tr a-z A-Z\n  smudge = tr A-Z a-z\n');
    git('config', 'filter.mark.process', marks);
    expect(await everything()).not.toEqual([]);
    expect(executed()).toBe(false);
  });
});
