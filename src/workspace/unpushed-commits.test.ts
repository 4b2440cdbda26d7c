import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitRemote } from '../../test/support/git-remote.js';
import { newRunId } from '../journal/run-places.js';
import { openClone, type RunClone } from './clone.js';

let first: GitRemote;
let remote: GitRemote;
let workspace: RunClone;

beforeAll(() => {
  first = new GitRemote();
});
afterAll(() => first.remove());
beforeEach(async () => {
  remote = new GitRemote(first);
  const { home, url: repository, environment } = remote;
  workspace = await openClone({ home, repository, base: 'main', runId: newRunId(), epoch: 1, environment });
});
afterEach(() => remote.remove());

const git = (...words: readonly string[]) => remote.git(workspace.path, ...words);
const work = (name: string) => remote.commit(workspace.path, { [name]: name });
const publish = async () => expect(await workspace.publish(git('rev-parse', 'HEAD'))).toBe('pushed');

/** What an agent may do that leaves a commit where the branch of its run does not lead. */
const WAYS: Readonly<Record<string, () => void>> = {
  'another branch': () => {
    git('checkout', '-qb', 'fix');
    work('lost');
    git('checkout', '-q', '-');
  },
  'a tag': () => {
    git('checkout', '-q', '--detach');
    work('lost');
    git('tag', 'lost');
    git('checkout', '-q', '-');
  },
  'the stash': () => {
    writeFileSync(join(workspace.path, 'file'), 'lost');
    git('stash', '--quiet', '--message', 'lost');
  },
  'a HEAD that was detached': () => {
    git('checkout', '-q', '--detach');
    work('lost');
    git('checkout', '-q', '-');
  },
  'a branch that HEAD has left': () => {
    work('kept');
    work('lost');
    git('checkout', '-q', 'HEAD~1');
  },
  'a branch that is deleted': () => {
    WAYS['another branch']?.();
    git('branch', '-qD', 'fix');
  },
  'another working tree': () => {
    git('worktree', 'add', '-q', '--detach', '../other');
    remote.commit(join(workspace.path, '..', 'other'), { lost: 'lost' });
  },
  'a past that a pushed commit is said to have': () => {
    WAYS['another branch']?.();
    git('replace', '--graft', 'HEAD', workspace.start, 'fix');
  },
  'a repository that is said to be elsewhere': () => {
    WAYS['the stash']?.();
    git('config', 'core.bare', 'true');
    git('config', 'core.worktree', remote.folder);
  },
};

describe('a commit that would be gone with the working tree', () => {
  it.for(Object.keys(WAYS))('is told of when it is in %s', async (way) => {
    work('before');
    await publish();
    WAYS[way]?.();
    if (!way.startsWith('a repository')) await publish();
    expect(await workspace.unpushed()).toMatch(/^the agent .* not on its branch \(.*lost.*\)$/);
  });

  it('is told of before anything was pushed, too, and many are counted', async () => {
    git('checkout', '-qb', 'fix');
    for (const name of ['a', 'b', 'c', 'd\u001b[2J']) work(name);
    git('checkout', '-q', '-');
    const told = await workspace.unpushed();
    expect(told).toMatch(/^the agent .* 4 commits .*not on its branch \([0-9a-f]{7} d \[2J, \w+ c, \w+ b, …\)$/);
  });

  it('may be there when nobody can look', async () => {
    writeFileSync(join(workspace.path, '.git', 'config'), 'no config\n');
    expect(await workspace.unpushed()).toMatch(/repository .*\(git rev-list: .*\)$/);
  });
});

describe('no commit would be gone', () => {
  it('when all that was done is pushed, and nothing of it is executed', async () => {
    work('one');
    await publish();
    work('two');
    const trap = join(remote.folder, 'sprung');
    mkdirSync(join(workspace.path, '.git', 'hooks'), { recursive: true });
    for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand']) git('config', key, `touch '${trap}'; false`);
    await publish();
    expect([await workspace.unpushed(), existsSync(trap)]).toEqual([undefined, false]);
  });

  it('when the agent has amended its own, or put a stash back', async () => {
    work('one');
    git('commit', '-q', '--amend', '-m', 'better');
    writeFileSync(join(workspace.path, 'file'), 'more');
    git('stash', '--quiet');
    git('stash', 'pop', '--quiet');
    work('two');
    await publish();
    expect(await workspace.unpushed()).toBeUndefined();
  });

  it('when the others came from the remote', async () => {
    remote.ask('branch', 'topic', 'main');
    remote.advance('topic', 'theirs');
    work('one');
    git('fetch', '-q', 'origin');
    git('checkout', '-q', 'origin/topic');
    git('checkout', '-q', '-');
    await publish();
    expect(await workspace.unpushed()).toBeUndefined();
  });
});
