import { readFileSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { runContext } from '../../test/support/run-context.js';
import { ScratchTree } from '../../test/support/scratch-tree.js';
import { parseCondition } from '../model/parse-condition.js';
import type { RunSpec } from '../model/run-spec.js';
import { watchGuard } from './guard-watch.js';
import { observeBaseline, observeIteration, type ObserveOptions } from './observe.js';
import { pruneSnapshots } from '../observation/files/snapshot-store.js';
import { createTreeWatch } from './tree-watch.js';

const open: ScratchTree[] = [];
afterEach(() => {
  for (const tree of open.splice(0)) tree.remove();
});

/** A tree that is too large for snapshots, with a guard over `test`. */
function large({ hasGit }: { readonly hasGit: boolean }) {
  const tree = new ScratchTree({ hasGit, limits: { fileCount: 2, fileCountOutsideGit: 2 } });
  open.push(tree);
  for (const name of ['a', 'b', 'test/c']) tree.write(name, '');
  if (hasGit) tree.commitAll();
  const guarded = parseCondition({ protected_path_changed: ['test'] });
  const policy = { success: [], failure: [guarded], limits: [] };
  const spec = { workingDir: tree.top, policy, checks: {} } as unknown as RunSpec;
  const watch = createTreeWatch(tree.tracker);
  const guard = watchGuard(spec, tree.environment, () => []);
  const options: ObserveOptions = {
    context: runContext({ spec, environment: tree.environment, tree: watch, guard }),
    cookie: 'x',
    draft: () => ({ type: 'tick' }),
    seen: {},
    skipCommands: false,
    label: 'one',
  };
  const iterate = async (work: () => void) => {
    const before = await watch.begin('before');
    await guard?.begin();
    work();
    return observeIteration(options, before);
  };
  return { tree, options, watch, iterate };
}

describe('a tree that is too large for snapshots', () => {
  it('in git tells whether an iteration changed something, and says what cannot be judged', async () => {
    const { tree, options, watch, iterate } = large({ hasGit: true });
    const start = await observeBaseline(options);
    expect(start.unobserved).toEqual([expect.stringContaining('diff_exceeds cannot be judged')]);
    const idle = await iterate(() => undefined);
    expect(idle.fingerprint).toEqual({ before: start.fingerprint?.after, after: start.fingerprint?.after });
    const worked = await iterate(() => tree.write('a', 'changed'));
    expect(worked.fingerprint?.before).toBe(start.fingerprint?.after);
    expect(worked.fingerprint?.after).not.toBe(start.fingerprint?.after);
    watch.disturb();
    tree.write('b', 'by somebody else');
    const after = await iterate(() => undefined);
    expect(after.fingerprint?.before).toBe(after.fingerprint?.after);
    expect([start, idle, worked, after].map(({ files }) => files)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('outside git tells that it cannot tell', async () => {
    const { iterate } = large({ hasGit: false });
    const { files, fingerprint, unobserved } = await iterate(() => undefined);
    expect({ files, fingerprint }).toEqual({ files: undefined, fingerprint: undefined });
    expect(unobserved).toEqual([expect.stringContaining('no_progress, oscillation and diff_exceeds cannot be judged')]);
  });

  it.each([true, false])('a guard sees what it protects all the same (git: %s)', async (hasGit) => {
    const { tree, iterate } = large({ hasGit });
    const probe = async (work: () => void) => Object.values((await iterate(work)).probes ?? {})[0]?.met;
    expect(await probe(() => tree.write('a', 'changed'))).toBe(false);
    expect(await probe(() => rmSync(tree.at('test/c')))).toBe(true);
  });
});

describe('lines that the run itself has written', () => {
  it('are told from those of the start when others take their place', async () => {
    const tree = new ScratchTree();
    open.push(tree);
    tree.write('page.html', 'old\n');
    let start: string | undefined;
    const watch = createTreeWatch(tree.tracker, () => start);
    const before = await watch.begin('before');
    const after = async (text: string) => {
      tree.write('page.html', text);
      const changes = await watch.changesSince(await watch.begin('next'), 'after');
      return 'files' in changes ? changes.files.rewrites : undefined;
    };
    expect(await after('one\n')).toBeUndefined();
    // Where the start is not known, nothing is known to be the run's own.
    expect(await after('two\n')).toBeUndefined();
    start = before;
    expect(await after('three\n')).toBe(true);
    expect(await after('three\nfour\n')).toBeUndefined();
  });
});

describe('a snapshot while the agent works', () => {
  const signal = new AbortController().signal;

  function small() {
    const tree = new ScratchTree();
    open.push(tree);
    tree.write('a', 'before');
    return { tree, watch: createTreeWatch(tree.tracker) };
  }

  it('changes nothing about what the iteration is compared with', async () => {
    const { tree, watch } = small();
    const before = await watch.begin('before');
    tree.write('a', 'green');
    tree.write('b', 'green');
    const green = await watch.capture('green', signal);
    expect(await watch.begin('again')).toBe(before);
    tree.write('a', 'worse');
    rmSync(tree.at('b'));
    tree.write('c', 'worse');
    // One that is still under way at the end of the iteration comes first.
    const [late, changes] = await Promise.all([watch.capture('late', signal), watch.changesSince(before, 'one')]);
    if ('problem' in changes) throw new Error(changes.problem);
    expect(changes.files).toMatchObject({ treeBefore: before, created: ['c'], modified: ['a'], deleted: [] });
    expect(changes.files.treeAfter).toBe(late);
    expect(await watch.begin('next')).toBe(late);
    expect(green).not.toBe(late);
  });

  it('is kept by a prune of the store, and can be restored', async () => {
    const { tree, watch } = small();
    await watch.begin('before');
    tree.write('a', 'green');
    const green = await watch.capture('green', signal);
    tree.write('a', 'worse');
    await watch.look('after');
    await watch.close();
    await pruneSnapshots(tree.top, ['another run'], { environment: tree.environment, isLive: false });
    const restored = await tree
      .open()
      .restore({ tree: green ?? '', recorded: [], force: true, onCheckpoint: () => {} });
    expect(restored).toMatchObject({ written: 1 });
    expect(readFileSync(tree.at('a'), 'utf8')).toBe('green');
  });

  it('that is given up or cannot be taken is none, and the next one is right', async () => {
    const { tree, watch } = small();
    const before = await watch.begin('before');
    tree.write('a', 'green');
    expect(await watch.capture('green', AbortSignal.abort())).toBeUndefined();
    const changes = await watch.changesSince(before, 'one');
    expect(changes).toMatchObject({ files: { modified: ['a'] } });
    const { watch: tooLarge } = large({ hasGit: true });
    expect(await tooLarge.capture('green', signal)).toBeUndefined();
  });
});
