/** What was pushed, and what the work began with, is still there whenever a run goes on. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitRemote } from '../../test/support/git-remote.js';
import { newRunId } from '../journal/run-places.js';
import { openClone, type RunClone, type CloneRequest } from './clone.js';

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

const branch = () => `refs/heads/pawl/${runId}`;

describe('a run that is taken up again', () => {
  let commit: string;

  beforeEach(async () => {
    const workspace = await open();
    commit = remote.commit(workspace.path, { work: 'done' });
    expect(await workspace.publish(commit)).toBe('pushed');
  });

  it.for([
    ['is gone', () => remote.ask('update-ref', '-d', branch())],
    ['was moved back', () => remote.ask('update-ref', branch(), 'main')],
    [
      'was written anew',
      () => {
        remote.ask('update-ref', branch(), 'main');
        remote.advance(`pawl/${runId}`, 'other');
      },
    ],
  ] as const)('does not begin at the base when its branch %s', async ([, harm]) => {
    harm();
    const why = `its branch pawl/${runId} no longer contains ${commit.slice(0, 7)}, which was pushed after iteration 2`;
    const opened = open({ epoch: 2, pushed: { commit, iteration: 2 } });
    await expect(opened).rejects.toMatchObject({ kind: 'no-base', message: why });
  });

  it('does so when the worker has never seen what was pushed', async () => {
    remote.ask('update-ref', branch(), 'main');
    const pushed = { commit: 'f'.repeat(40), iteration: 1 };
    await expect(open({ epoch: 2, pushed })).rejects.toMatchObject({ kind: 'no-base' });
  });

  it('goes on from what was added to its branch since', async () => {
    const start = remote.advance(`pawl/${runId}`, 'more');
    expect(await open({ epoch: 2, pushed: { commit, iteration: 2 } })).toMatchObject({ start });
    expect(await open({ epoch: 3, pushed: { commit: start, iteration: 3 } })).toMatchObject({ start });
  });
});

describe('what the work began with', () => {
  it.for([
    ['amended', ['commit', '-q', '--amend', '-m', 'mine'], false],
    ['left for a branch without a past', ['checkout', '-q', '--orphan', 'new'], true],
    ['taken from under it', ['update-ref', '-d', 'HEAD'], true],
    ['taken back', ['reset', '-q', '--hard', 'HEAD~1'], true],
  ] as const)('cannot be %s by an agent before the first push', async ([, words, commits]) => {
    const workspace = await open();
    const { path, start } = workspace;
    remote.git(path, ...words);
    if (commits) remote.commit(path, { work: 'done' });
    const head = remote.git(path, 'rev-parse', 'HEAD');
    expect(await workspace.publish(head)).toEqual({
      refused: expect.stringMatching(new RegExp(`${start.slice(0, 12)}, .*${head.slice(0, 12)} .*nothing was pushed`)),
      isRewritten: true,
    });
    expect(() => remote.ask('rev-parse', '--verify', '--quiet', branch())).toThrow('Command failed');
  });

  it('is what it is, whatever an agent says that it is replaced by', async () => {
    const workspace = await open();
    const { path, start } = workspace;
    remote.git(path, 'checkout', '-q', '--orphan', 'new');
    const root = remote.commit(path, { work: 'done' });
    remote.git(path, 'replace', '--graft', root, start);
    expect(await workspace.publish(root)).toMatchObject({ isRewritten: true });
  });
});
