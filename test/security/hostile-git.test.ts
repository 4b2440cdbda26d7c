import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
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
import { newRunId } from '../../src/journal/run-places.js';
import { openFileTracker } from '../../src/observation/files/file-tracker.js';
import { planIgnore } from '../../src/setup/ignore-runs.js';
import { openClone } from '../../src/workspace/clone.js';
import { commitWork, uncommittedFiles } from '../../src/workspace/commit-work.js';
import { whyNoCommit } from '../../src/workspace/read-repository.js';
import { untrustedIn } from '../../src/workspace/untrusted-settings.js';
import { makeWorktree, planWorktree } from '../../src/workspace/worktree.js';
import { GitRemote } from '../support/git-remote.js';

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
  writeFileSync(marks, `#!/bin/sh\necho "$0 $*" >> '${folder}/executed'\n[ $# -gt 0 ] || cat\n`, { mode: 0o755 });
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

/** Everything that Pawl does with git in a repository of the user's; the errors that it reports. */
async function everything(): Promise<readonly string[]> {
  writeFileSync(join(repository, 'a.txt'), `${Math.random()}\n`);
  const place = { folder: repository, environment: environment() };
  const home = join(folder, 'worktrees');
  const plan = await planWorktree({ workingDir: repository, name: 'try', home, environment: environment() });
  const made = 'error' in plan ? plan : await makeWorktree(plan, environment());
  const listed = await uncommittedFiles(place);
  const committed = await commitWork({ ...place, message: 'work' });
  await planIgnore(repository, environment());
  const why = await whyNoCommit(place);
  const snapshots = await takeSnapshots();
  const answers = [plan, made, listed, committed, ...snapshots].flatMap((answer) =>
    'error' in answer ? [answer.error] : [],
  );
  return why === undefined ? answers : [...answers, why];
}

/** With the files restored once, and of a tree that is too large for snapshots. */
async function takeSnapshots() {
  const options = { workingDir: repository, runId: 'loop_TEST', environment: environment() };
  const tracker = openFileTracker(options);
  const before = await tracker.snapshot('before');
  writeFileSync(join(repository, 'c.txt'), `${Math.random()}\n`);
  const after = await tracker.snapshot('after');
  const changes = 'tree' in before && 'tree' in after ? await tracker.changes(before.tree, after.tree) : after;
  rmSync(join(repository, 'c.txt'));
  const large = await openFileTracker({ ...options, limits: { fileCount: 0 } }).snapshot('large');
  return 'fingerprint' in large ? [before, after, changes] : [before, after, changes, large];
}

/** Everything that Pawl does with git in a clone whose agent has set this in every repository that it reaches. */
async function everythingInClone(set: (config: (...words: string[]) => void) => void): Promise<readonly string[]> {
  const remote = new GitRemote();
  try {
    const author = join(remote.folder, 'author');
    remote.commit(author, { '.gitattributes': '*.txt filter=mark diff=mark merge=mark\n', 'a.txt': 'text\n' });
    remote.git(author, 'push', '-q', 'origin', 'HEAD:main');
    const request = { home: remote.home, repository: remote.url, base: 'main', environment: remote.environment };
    const clone = await openClone({ ...request, runId: newRunId(), epoch: 1 });
    const mirrors = join(remote.home, 'mirrors');
    const mirror = join(mirrors, readdirSync(mirrors).find((name) => name.endsWith('.git')) ?? '');
    for (const gitDir of [join(clone.path, '.git'), join(clone.path, '..', 'outbox.git'), mirror]) {
      set((...words) => void remote.git(remote.folder, `--git-dir=${gitDir}`, 'config', ...words));
    }
    writeFileSync(join(clone.path, 'a.txt'), 'changed\n');
    const own = { folder: clone.path, environment: remote.environment, since: clone.start };
    const committed = await commitWork({ ...own, message: 'work' });
    const commit = 'commit' in committed ? committed.commit : clone.start;
    const published = await clone.publish(commit);
    const unpushed = await clone.unpushed();
    await clone.remove();
    remote.advance('main', 'more');
    const next = await openClone({ ...request, runId: newRunId(), epoch: 1 });
    expect(existsSync(join(next.path, 'more'))).toBe(true);
    return [
      ...('error' in committed ? [committed.error] : []),
      ...(published === 'pushed' ? [] : [JSON.stringify(published)]),
      ...(unpushed === undefined ? [] : [unpushed]),
    ];
  } finally {
    remote.remove();
  }
}

const executed = () => existsSync(join(folder, 'executed')) && readFileSync(join(folder, 'executed'), 'utf8');

/** A setting that names a program, and others with which git would start it. */
const PROGRAMS: readonly (readonly string[])[] = [
  ['core.fsmonitor'],
  ['core.sshCommand'],
  ['core.askPass'],
  ['core.editor'],
  ['core.pager'],
  ['core.gitProxy'],
  ['core.alternateRefsCommand'],
  ['credential.helper'],
  ['diff.external'],
  ['diff.mark.command'],
  ['diff.mark.textconv'],
  ['gpg.program', 'commit.gpgSign=true', 'log.showSignature=true', 'push.gpgSign=true'],
  ['gpg.ssh.program', 'commit.gpgSign=true', 'gpg.format=ssh', 'user.signingKey=x'],
  ['merge.mark.driver'],
  ['remote.pawl.uploadpack', 'remote.pawl.promisor=true', 'extensions.partialClone=pawl'],
  ['remote.pawl.receivepack'],
  ['gc.recentObjectsHook', 'gc.auto=1'],
  ['hook.mark.command', 'hook.mark.event=pre-commit'],
  ['alias.add', 'alias.status=!false'],
];

type Config = (...words: string[]) => void;
const setAll = (config: Config, [key, ...others]: readonly string[]) => {
  config(key ?? '', key?.startsWith('alias') === true ? `!${marks}` : marks);
  for (const other of others) config(...other.split('='));
};
const configure: Config = (...words) => void git('config', ...words);

describe("of a repository's own config", () => {
  it.each(PROGRAMS)('%s is not executed, and the work continues', async (...settings) => {
    setAll(configure, settings);
    expect(await everything()).toEqual([]);
    expect(executed()).toBe(false);
  });

  it('none of these is executed in a clone, and its work is pushed', async () => {
    const set = (config: Config) => PROGRAMS.forEach((settings) => setAll(config, settings));
    expect(await everythingInClone(set)).toEqual([]);
    expect(executed()).toBe(false);
  });

  it('the program that fetches objects is not executed when some are missing', async () => {
    writeFileSync(join(repository, 'kept.txt'), 'text\n');
    const tree = git('rev-parse', 'HEAD^{tree}');
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'remote.origin.url', join(folder, 'elsewhere'));
    setAll(configure, ['remote.origin.uploadpack', 'remote.origin.promisor=true', 'extensions.partialClone=origin']);
    rmSync(join(repository, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
    await everything();
    expect(executed()).toBe(false);
  });

  it('no configured hook is enabled, whoever configured it', () => {
    const entries = [
      'local',
      'hook.a.command\nx',
      'global',
      'hook.b.c.event\npre-commit',
      'local',
      'hook.d.enabled\ntrue',
    ];
    expect(untrustedIn(entries).settings).toEqual(
      expect.arrayContaining([
        ['hook.a.enabled', 'false'],
        ['hook.b.c.enabled', 'false'],
        ['hook.d.enabled', 'false'],
      ]),
    );
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
      const [error2] = await everythingInClone((config) => setAll(config, [key]));
      expect(error2).toContain('the git filter mark did not run');
      expect(executed()).toBe(false);
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
    expect(await everything()).toEqual([expect.stringContaining('git status: the repository has submodules')]);
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
