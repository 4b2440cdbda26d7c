import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { tries } from '../../../test/support/full-form.js';
import { fingerprint, ScratchTree } from '../../../test/support/scratch-tree.js';

const open: ScratchTree[] = [];
function scratch(options: ConstructorParameters<typeof ScratchTree>[0] = {}): ScratchTree {
  const tree = new ScratchTree(options);
  open.push(tree);
  return tree;
}
afterEach(() => {
  for (const tree of open.splice(0)) tree.remove();
});

interface Wish {
  readonly recorded?: readonly string[];
  readonly force?: boolean;
  readonly onCheckpoint?: (tree: string) => void;
}

function restore(tree: ScratchTree, to: string, { recorded, force = false, onCheckpoint }: Wish = {}) {
  return tree.tracker.restore({
    tree: to,
    recorded: recorded ?? [to],
    force,
    onCheckpoint: onCheckpoint ?? (() => undefined),
  });
}

const text = (tree: ScratchTree, path: string) => readFileSync(tree.at(path), 'utf8');

describe('restoring a snapshot', () => {
  it('files come back that were changed, deleted, created, made executable, linked', async () => {
    const tree = scratch();
    tree.write('changed', 'old');
    tree.write('deep/deleted', 'here');
    tree.write('tool', '#!/bin/sh\n', 0o755);
    symlinkSync('changed', tree.at('link'));
    const then = await tree.tree();
    tree.write('changed', 'new');
    rmSync(tree.at('deep'), { recursive: true });
    tree.write('created/below', 'x');
    chmodSync(tree.at('tool'), 0o644);
    rmSync(tree.at('link'));
    tree.write('link', 'a file now');
    const now = await tree.tree();
    expect(await restore(tree, then, { recorded: [now] })).toEqual({
      written: 4,
      deleted: 1,
      notKept: [],
      missing: [],
      ignored: [],
      changed: [],
      movedTo: undefined,
      checkpoint: now,
    });
    expect(text(tree, 'changed')).toBe('old');
    expect(text(tree, 'deep/deleted')).toBe('here');
    expect(statSync(tree.at('tool')).mode & 0o111).toBe(0o111);
    expect(readlinkSync(tree.at('link'))).toBe('changed');
    expect(existsSync(tree.at('created'))).toBe(false);
    expect(await tree.tree()).toBe(then);
  });

  it('a file comes back where a folder is, and a folder where a file is', async () => {
    const tree = scratch();
    tree.write('a', 'file');
    tree.write('b/c/d', 'below');
    const then = await tree.tree();
    rmSync(tree.at('a'));
    tree.write('a/x/y', 'below');
    mkdirSync(tree.at('a/empty'));
    rmSync(tree.at('b'), { recursive: true });
    tree.write('b', 'file');
    const now = await tree.tree();
    expect(await restore(tree, then, { recorded: [now] })).toMatchObject({ written: 2, deleted: 2 });
    expect(text(tree, 'a')).toBe('file');
    expect(text(tree, 'b/c/d')).toBe('below');
  });

  it('who may read a file stays as it is', async () => {
    const tree = scratch();
    tree.write('secret', 'old', 0o600);
    const then = await tree.tree();
    tree.write('secret', 'new');
    await restore(tree, then, { recorded: [await tree.tree()] });
    expect(statSync(tree.at('secret')).mode & 0o777).toBe(0o600);
  });

  it('the repository of the user is not touched, and neither is one inside it', async () => {
    const tree = scratch();
    tree.write('a', 'old');
    tree.write('inner/file', 'old');
    tree.commitAll();
    tree.gitIn(tree.at('inner'), 'init', '-q');
    const then = await tree.tree();
    tree.write('a', 'new');
    rmSync(tree.at('inner/file'));
    tree.write('inner/other', 'new');
    const now = await tree.tree();
    const before = [fingerprint(tree.at('.git')), fingerprint(tree.at('inner/.git'))];
    expect(await restore(tree, then, { recorded: [now] })).toMatchObject({ written: 2, deleted: 1 });
    expect([fingerprint(tree.at('.git')), fingerprint(tree.at('inner/.git'))]).toEqual(before);
  });

  it('works outside git and from a folder below the top', async () => {
    const outside = scratch({ hasGit: false });
    outside.write('a', 'old');
    const then = await outside.tree();
    outside.write('a', 'new');
    expect(await restore(outside, then, { recorded: [await outside.tree()] })).toMatchObject({ written: 1 });
    expect(text(outside, 'a')).toBe('old');

    const tree = scratch();
    tree.write('below/a', 'old');
    tree.write('beside', 'old');
    const tracker = tree.open({ workingDir: tree.at('below') });
    const first = await tracker.snapshot('first');
    tree.write('below/a', 'new');
    tree.write('beside', 'new');
    const refused = await tracker.restore({
      tree: 'tree' in first ? first.tree : '',
      recorded: 'tree' in first ? [first.tree] : [],
      force: false,
      onCheckpoint: () => undefined,
    });
    expect(refused).toEqual({ unsaved: ['a', '../beside'], unkept: [] });
  });
});

describe('what would be lost', () => {
  it('work that no run has recorded is not replaced, unless forced; then the checkpoint holds it', async () => {
    const tree = scratch();
    tree.write('mine', 'one');
    tree.write('agents', 'one');
    const then = await tree.tree();
    tree.write('agents', 'two');
    const recorded = [await tree.tree()];
    tree.write('mine', 'by hand');
    // A second try is refused as well, although the first has looked at everything.
    for (let look = 0; look < 2; look += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await restore(tree, then, { recorded })).toEqual({ unsaved: ['mine'], unkept: [] });
    }
    expect(text(tree, 'agents')).toBe('two');
    const checkpoints: string[] = [];
    const onCheckpoint = (checkpoint: string) => void checkpoints.push(checkpoint);
    expect(await restore(tree, then, { recorded, force: true, onCheckpoint })).toMatchObject({ written: 2 });
    expect(text(tree, 'mine')).toBe('one');
    expect(await restore(tree, checkpoints[0] ?? '', { recorded: [then] })).toMatchObject({ written: 2 });
    expect(text(tree, 'mine')).toBe('by hand');
  });

  it('an ignored file in the way is not replaced, unless forced; then it is moved aside', async () => {
    const tree = scratch();
    tree.write('out', 'of the agent');
    const then = await tree.tree();
    rmSync(tree.at('out'));
    tree.write('.gitignore', 'out\n');
    const recorded = [await tree.tree()];
    tree.write('out', 'ignored and precious');
    expect(await restore(tree, then, { recorded })).toEqual({ unsaved: [], unkept: ['out'] });
    expect(text(tree, 'out')).toBe('ignored and precious');
    const restored = await restore(tree, then, { recorded, force: true });
    expect(restored).toMatchObject({ written: 1, movedTo: expect.stringContaining('.ralph/replaced/') });
    expect(text(tree, 'out')).toBe('of the agent');
    expect(readFileSync(join((restored as { movedTo: string }).movedTo, 'out'), 'utf8')).toBe('ignored and precious');
  });

  it('a link to elsewhere in the way is not written through', async () => {
    const tree = scratch();
    tree.write('lib/a', 'of the agent');
    const then = await tree.tree();
    rmSync(tree.at('lib'), { recursive: true });
    tree.write('.gitignore', 'lib\n');
    const recorded = [await tree.tree()];
    const elsewhere = join(tree.folder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, tree.at('lib'));
    expect(await restore(tree, then, { recorded })).toEqual({ unsaved: [], unkept: ['lib'] });
    await restore(tree, then, { recorded, force: true });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(lstatSync(tree.at('lib')).isDirectory()).toBe(true);
  });

  it('a folder of dependencies that was not ignored then is left, because the rules of then ignored it', async () => {
    const tree = scratch();
    tree.write('.gitignore', 'node_modules\n');
    tree.write('node_modules/a/index.js', 'a');
    const then = await tree.tree();
    rmSync(tree.at('.gitignore'));
    const now = await tree.tree();
    expect(await restore(tree, then, { recorded: [now] })).toMatchObject({
      deleted: 0,
      ignored: ['node_modules/a/index.js'],
    });
    expect(text(tree, 'node_modules/a/index.js')).toBe('a');
  });

  it('what only a .gitignore of the agent left out stays, on the way there and back', async () => {
    const tree = scratch();
    tree.write('index.js', 'a');
    const then = await tree.tree();
    tree.write('node_modules/x/i.js', '1');
    tree.write('.gitignore', 'node_modules\n');
    tree.write('index.js', 'b');
    const now = await tree.tree();
    expect(await restore(tree, then, { recorded: [now] })).toMatchObject({
      written: 1,
      deleted: 1,
      ignored: ['node_modules/x/i.js'],
    });
    expect([text(tree, 'index.js'), text(tree, 'node_modules/x/i.js')]).toEqual(['a', '1']);
    // No work of anybody's: the rules of then leave it out.
    expect(await restore(tree, now, { recorded: [then] })).toMatchObject({ written: 2, deleted: 0 });
    expect([text(tree, 'index.js'), text(tree, 'node_modules/x/i.js')]).toEqual(['b', '1']);
  });

  it('a restore that changes nothing takes no checkpoint: the last one stays the last', async () => {
    const tree = scratch();
    tree.write('a', 'old');
    const then = await tree.tree();
    const onCheckpoint = () => {
      throw new Error('a checkpoint');
    };
    expect(await restore(tree, then, { onCheckpoint })).toMatchObject({ written: 0, deleted: 0 });
  });

  it('a file that is saved while it works is moved aside, and nothing of it is lost', async () => {
    const tree = scratch();
    for (const name of ['a', 'b', 'gone']) tree.write(name, 'old');
    const then = await tree.tree();
    for (const name of ['a', 'b']) tree.write(name, 'new');
    rmSync(tree.at('gone'));
    tree.write('made', 'new');
    const recorded = [await tree.tree()];
    const restored = await restore(tree, then, {
      recorded,
      // The last moment before files are touched.
      onCheckpoint() {
        tree.write('a', 'saved just now');
        tree.write('made', 'saved, too');
        tree.write('gone', 'made just now');
      },
    });
    expect(restored).toMatchObject({ changed: ['a', 'gone', 'made'] });
    const { movedTo } = restored as { movedTo: string };
    expect(['a', 'gone', 'made'].map((name) => readFileSync(join(movedTo, name), 'utf8'))).toEqual([
      'saved just now',
      'made just now',
      'saved, too',
    ]);
    expect(['a', 'b', 'gone'].map((name) => text(tree, name))).toEqual(['old', 'old', 'old']);
  });

  it("what a restore that was killed has left is in nobody's way", async () => {
    const tree = scratch();
    tree.write('a', 'old');
    const then = await tree.tree();
    tree.write('a', 'new');
    tree.write('.ralph/restore-1-1/files/a', 'half');
    expect(await restore(tree, then, { recorded: [await tree.tree()] })).toMatchObject({ written: 1 });
    expect(readdirSync(tree.at('.ralph'))).toEqual([]);
  });

  it('a file too large to be kept is never deleted, and never taken for restored', async () => {
    const tree = scratch({ limits: { fileBytes: 1000 } });
    tree.write('big', 'x'.repeat(2000));
    const then = await tree.tree();
    tree.write('big', 'y'.repeat(3000));
    const changed = await tree.tree();
    expect(await restore(tree, then, { recorded: [changed] })).toMatchObject({ written: 0, notKept: ['big'] });
    expect(text(tree, 'big')).toBe('y'.repeat(3000));

    rmSync(tree.at('big'));
    const without = await tree.tree();
    expect(await restore(tree, then, { recorded: [without] })).toMatchObject({ notKept: [], missing: ['big'] });
    tree.write('big', 'y'.repeat(3000));

    tree.write('other', 'z'.repeat(3000));
    const withOther = await tree.tree();
    expect(await restore(tree, then, { recorded: [withOther] })).toEqual({ unsaved: [], unkept: ['other'] });
    const forced = await restore(tree, then, { recorded: [withOther], force: true });
    expect(readFileSync(join((forced as { movedTo: string }).movedTo, 'other'), 'utf8')).toBe('z'.repeat(3000));
  });

  it('a snapshot that is gone is an error, and nothing is changed', async () => {
    const tree = scratch();
    tree.write('a', 'old');
    await tree.tree();
    tree.write('a', 'new');
    expect(await restore(tree, 'f'.repeat(40))).toEqual({ error: expect.stringContaining('cannot') });
    expect(text(tree, 'a')).toBe('new');
  });

  it('a checkpoint that cannot be recorded ends it before anything is changed', async () => {
    const tree = scratch();
    tree.write('a', 'old');
    const then = await tree.tree();
    tree.write('a', 'new');
    const recorded = [await tree.tree()];
    const onCheckpoint = () => {
      throw new Error('the disk is full');
    };
    expect(await restore(tree, then, { recorded, onCheckpoint })).toEqual({
      error: expect.stringContaining('the disk is full'),
    });
    expect(text(tree, 'a')).toBe('new');
    expect(readdirSync(tree.at('.ralph'))).toEqual([]);
  });
});

it('any tree can be restored from any other', async () => {
  const names = fc.constantFrom('a', 'b', 'a/x', 'a/y', 'b/x/deep', 'c d', 'ü', 'e/.gitignore');
  const tree = fc.dictionary(names, fc.constantFrom('', 'one\n', 'two\n', 'x'.repeat(100)), { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 2, maxLength: 4 }), fc.nat(), async (trees, pick) => {
      const scene = new ScratchTree();
      try {
        const recorded: string[] = [];
        for (const files of trees) {
          for (const name of readdirSync(scene.top)) if (name !== '.git') rmSync(scene.at(name), { recursive: true });
          for (const [name, content] of Object.entries(files)) {
            const isFree = !Object.keys(files).some((other) => other.startsWith(`${name}/`));
            if (isFree) scene.write(name, content);
          }
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          recorded.push(await scene.tree());
        }
        const to = recorded[pick % recorded.length] ?? '';
        expect(await restore(scene, to, { recorded: recorded.slice(-1) })).toHaveProperty('written');
        expect(await scene.tree()).toBe(to);
      } finally {
        scene.remove();
      }
    }),
    { numRuns: tries(8) },
  );
});
