import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitRemote } from '../../test/support/git-remote.js';
import { newRunId } from '../journal/run-places.js';
import { openClone, type RunClone, type CloneRequest } from './clone.js';
import { removeAbandonedClones } from './clone-folder.js';

let first: GitRemote;
let remote: GitRemote;
let runId: string;

beforeAll(() => {
  first = new GitRemote();
});
afterAll(() => first.remove());
beforeEach(() => {
  remote = new GitRemote(first);
  runId = newRunId();
});
afterEach(() => remote.remove());

function open(more: Partial<CloneRequest> = {}): Promise<RunClone> {
  const { home, url: repository, environment } = remote;
  return openClone({ home, repository, base: 'main', runId, epoch: 1, environment, ...more });
}

const tipOfRun = () => remote.ask('rev-parse', `refs/heads/pawl/${runId}`);
const folders = (name: string) => (existsSync(join(remote.home, name)) ? readdirSync(join(remote.home, name)) : []);

describe('a workspace', () => {
  it('begins with the base, on the branch of its run', async () => {
    const workspace = await open();
    expect(workspace).toMatchObject({ start: remote.ask('rev-parse', 'main'), isContinued: false });
    expect(readFileSync(join(workspace.path, 'file'), 'utf8')).toBe('two');
    expect(remote.git(workspace.path, 'status', '--porcelain', '--branch')).toBe(`## pawl/${runId}`);
    expect(remote.git(workspace.path, 'log', '--format=%s', 'origin/main')).toBe('file\nfile');
    expect(remote.git(workspace.path, 'fsck', '--strict')).toBe('');
    expect(remote.git(workspace.path, 'config', '--get-all', 'remote.origin.url')).toBe(remote.url);
  });

  it('begins with what an earlier epoch has pushed, even when the base is gone', async () => {
    const earlier = await open();
    const commit = remote.commit(earlier.path, { work: 'done' });
    expect(await earlier.publish(commit)).toBe('pushed');
    remote.advance('main', 'meanwhile');
    const later = await open({ epoch: 2 });
    expect(later).toMatchObject({ start: commit, isContinued: true });
    expect(readdirSync(later.path).sort()).toEqual(['.git', 'file', 'work']);
    remote.ask('update-ref', '-d', 'refs/heads/main');
    expect(await open({ epoch: 3 })).toMatchObject({ start: commit });
  });

  it('sees what was pushed to the base since the mirror was made', async () => {
    await open();
    const commit = remote.advance('main', 'news');
    expect(await open({ runId: newRunId() })).toMatchObject({ start: commit });
  });

  it('of a later epoch is another folder: the worker that was given up writes to its own', async () => {
    const zombie = await open();
    writeFileSync(join(zombie.path, 'half'), 'work');
    const next = await open({ epoch: 2 });
    remote.commit(zombie.path, { more: 'work' });
    expect(remote.git(next.path, 'status', '--porcelain')).toBe('');
    expect(remote.git(next.path, 'rev-parse', 'HEAD')).toBe(next.start);
    expect(existsSync(join(zombie.path, 'half'))).toBe(true);
  });

  it('of the same epoch is given to one only', async () => {
    const { path } = await open();
    await expect(open()).rejects.toMatchObject({ kind: 'local', message: expect.stringContaining(runId) });
    expect(existsSync(join(path, 'file'))).toBe(true);
  });

  it('takes no notice of variables that steer git elsewhere', async () => {
    const elsewhere = join(remote.folder, 'elsewhere.git');
    const steering = { GIT_DIR: elsewhere, GIT_WORK_TREE: remote.folder, GIT_INDEX_FILE: join(remote.folder, 'index') };
    const workspace = await open({ environment: { ...remote.environment, ...steering } });
    expect(await workspace.publish(workspace.start)).toBe('pushed');
    expect([existsSync(elsewhere), existsSync(join(remote.folder, 'index'))]).toEqual([false, false]);
  });

  it('with a large file and odd names comes over whole', async () => {
    const author = join(remote.folder, 'author');
    remote.git(remote.folder, 'clone', '-q', remote.url, author);
    const large = Buffer.alloc(20_000_000, 'pawl');
    remote.commit(author, { 'a large file': large, 'ümlaut "x"\n': '1', '-rf': '2' });
    remote.git(author, 'push', '-q', 'origin', 'main');
    const { path } = await open();
    expect(readFileSync(join(path, 'a large file')).equals(large)).toBe(true);
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['ümlaut "x"\n', '-rf']));
  });

  it('is removed with all that is in it, and only it', async () => {
    const [one, other] = [await open(), await open({ epoch: 2 })];
    mkdirSync(join(one.path, 'left', 'over'), { recursive: true });
    expect(await one.remove()).toEqual({});
    expect(await one.remove()).toEqual({});
    expect(folders('workspaces')).toEqual([`${runId}.2`]);
    expect(await other.publish(other.start)).toBe('pushed');
    expect(await removeAbandonedClones(remote.home)).toBe(0);
  });
});

describe('a base', () => {
  it('may be a tag, a hash, HEAD or the whole name of a ref', async () => {
    const [tip, before] = [remote.ask('rev-parse', 'main'), remote.ask('rev-parse', 'main~1')];
    remote.ask('tag', 'light', before);
    remote.ask('tag', '-a', '-m', 'note', 'noted', before);
    const starts: Record<string, string> = {};
    for (const base of ['light', 'noted', before, 'HEAD', 'refs/heads/main']) {
      // oxlint-disable-next-line no-await-in-loop -- each finds the mirror as the one before left it
      starts[base] = (await open({ base, runId: newRunId() })).start;
    }
    expect(starts).toEqual({ light: before, noted: before, [before]: before, HEAD: tip, 'refs/heads/main': tip });
  });

  it('may be in a repository with longer hashes', async () => {
    const other = join(remote.folder, 'other.git');
    remote.git(remote.folder, 'init', '-q', '--bare', '-b', 'main', '--object-format=sha256', other);
    remote.git(remote.folder, 'init', '-q', '--object-format=sha256', 'author');
    const start = remote.commit(join(remote.folder, 'author'), { file: 'text' });
    remote.git(join(remote.folder, 'author'), 'push', '-q', other, 'HEAD:main');
    const workspace = await open({ repository: other });
    expect([workspace.start, start.length]).toEqual([start, 64]);
    expect(await workspace.publish(remote.commit(workspace.path, { work: 'done' }))).toBe('pushed');
  });

  it('that lies below the name of one that was deleted is no hindrance', async () => {
    remote.ask('branch', 'topic', 'main');
    await open({ base: 'topic' });
    remote.ask('branch', '-D', 'topic');
    remote.ask('branch', 'topic/one', 'main~1');
    expect(await open({ base: 'topic/one', epoch: 2 })).toMatchObject({ start: remote.ask('rev-parse', 'main~1') });
  });

  it('that is not there is told in words', async () => {
    const blob = remote.ask('rev-parse', 'main:file');
    remote.ask('tag', 'text', blob);
    const told = async (base: string) => open({ base }).catch((error: Error) => error.message);
    expect(await told('mian')).toMatch(new RegExp(`no branch or tag "mian" in ${remote.url}$`));
    expect(await told('*')).toContain(`no branch or tag "*" in ${remote.url}`);
    expect(await told('abcdef1')).toContain('whole hash');
    expect(await told('0123456789'.repeat(4))).toContain('there is no 0123456789');
    expect(await told('text')).toContain('is not a commit');
    expect(folders('workspaces')).toEqual([]);
  });

  it('of an empty repository is told in words', async () => {
    const empty = join(remote.folder, 'empty.git');
    remote.git(remote.folder, 'init', '-q', '--bare', empty);
    await expect(open({ repository: empty })).rejects.toMatchObject({ kind: 'no-base' });
  });
});

describe('what is published', () => {
  it('of two epochs that push at once wins once, and the other is told why it stops', async () => {
    const both = await Promise.all([open(), open({ epoch: 2 })]);
    const commits = both.map(({ path }, at) => remote.commit(path, { work: `of ${at}` }));
    const answers = await Promise.all(both.map((workspace, at) => insist(workspace, commits[at] ?? '')));
    const winner = answers.indexOf('pushed');
    expect(answers.filter((answer) => answer === 'pushed')).toHaveLength(1);
    expect(answers[1 - winner]).toMatchObject({
      refused: expect.stringContaining('someone else has pushed'),
      isRewritten: false,
    });
    expect(tipOfRun()).toBe(commits[winner]);
  });

  it('is published once, however often it is tried', async () => {
    const workspace = await open();
    const commit = remote.commit(workspace.path, { work: 'done' });
    expect([await workspace.publish(commit), await workspace.publish(commit)]).toEqual(['pushed', 'pushed']);
    const next = remote.commit(workspace.path, { work: 'more' });
    expect(await workspace.publish(next)).toBe('pushed');
    expect(tipOfRun()).toBe(next);
  });

  it('does not overwrite what was published before when the agent rewrote it', async () => {
    const workspace = await open();
    const commit = remote.commit(workspace.path, { work: 'done' });
    await workspace.publish(commit);
    remote.git(workspace.path, 'commit', '-q', '--amend', '-m', 'other');
    const amended = remote.git(workspace.path, 'rev-parse', 'HEAD');
    expect(await workspace.publish(amended)).toMatchObject({
      refused: expect.stringContaining('does not build on'),
      isRewritten: true,
    });
    expect(tipOfRun()).toBe(commit);
  });

  it('goes where the worker says, whatever the agent has set up in its repository', async () => {
    const workspace = await open();
    const trap = join(remote.folder, 'sprung');
    const hooks = join(workspace.path, '.git', 'hooks');
    mkdirSync(hooks);
    writeFileSync(join(hooks, 'pre-push'), `#!/bin/sh\ntouch '${trap}'\n`, { mode: 0o755 });
    const settings = { 'core.hooksPath': hooks, 'remote.pawl.pushurl': trap, [`url.${trap}.insteadOf`]: remote.url };
    for (const [key, value] of Object.entries(settings)) remote.git(workspace.path, 'config', key, value);
    const commit = remote.commit(workspace.path, { work: 'done' });
    expect(await workspace.publish(commit)).toBe('pushed');
    expect([tipOfRun(), existsSync(trap)]).toEqual([commit, false]);
  });

  it('can be tried again when the remote was away', async () => {
    const workspace = await open();
    const commit = remote.commit(workspace.path, { work: 'done' });
    renameSync(remote.url, `${remote.url}.away`);
    expect(await workspace.publish(commit)).toEqual({
      failed: expect.stringMatching(/no git repository at/),
    });
    renameSync(`${remote.url}.away`, remote.url);
    expect(await workspace.publish(commit)).toBe('pushed');
  });

  it('and turned away by the remote is told with its reason', async () => {
    const workspace = await open();
    const hook = join(remote.url, 'hooks', 'pre-receive');
    mkdirSync(join(remote.url, 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "the freeze is on" >&2\nexit 1\n', { mode: 0o755 });
    const commit = remote.commit(workspace.path, { work: 'done' });
    expect(await workspace.publish(commit)).toEqual({ failed: expect.stringContaining('the freeze is on') });
    expect(await workspace.publish('HEAD')).toEqual({ failed: '"HEAD" is not a commit' });
    expect(await workspace.publish(commit, AbortSignal.abort())).toEqual({ failed: 'it was stopped' });
  });
});

/** As a worker does: what failed is tried again. */
async function insist(workspace: RunClone, commit: string) {
  for (let round = 0; round < 20; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    const answer = await workspace.publish(commit);
    if (answer === 'pushed' || 'refused' in answer) return answer;
  }
  return undefined;
}
