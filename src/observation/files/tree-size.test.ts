import { afterEach, describe, expect, it } from 'vitest';
import { ScratchTree } from '../../../test/support/scratch-tree.js';
import { tooManyFiles } from './tree-size.js';

const open: ScratchTree[] = [];
afterEach(() => {
  for (const tree of open.splice(0)) tree.remove();
});

describe('a folder is counted before a run', () => {
  it.each([true, false])('and is too large only above the limit (git: %s)', async (hasGit) => {
    const tree = new ScratchTree({ hasGit });
    open.push(tree);
    for (const name of ['a', 'sub/b', 'sub/deep/c', '.ralph/runs/x']) tree.write(name, '');
    const limits = (count: number) => ({ fileCount: count, fileCountOutsideGit: count });
    expect(await tooManyFiles(tree.top, tree.environment)).toBeUndefined();
    const inGit = hasGit ? 1 : 0;
    if (hasGit) tree.write('.gitignore', '.ralph/\n');
    expect(await tooManyFiles(tree.top, tree.environment, limits(3 + inGit))).toBeUndefined();
    expect(await tooManyFiles(tree.top, tree.environment, limits(2 + inGit))).toMatch(
      /has more than \d files.*diff_exceeds/,
    );
  });

  it('what git ignores does not count', async () => {
    const tree = new ScratchTree();
    open.push(tree);
    for (const name of ['a', 'b', 'node_modules/c', 'node_modules/d']) tree.write(name, '');
    const limits = { fileCount: 3, fileCountOutsideGit: 3 };
    expect(await tooManyFiles(tree.top, tree.environment, limits)).toBeDefined();
    tree.write('.gitignore', 'node_modules/\n');
    expect(await tooManyFiles(tree.top, tree.environment, limits)).toBeUndefined();
  });

  it('a folder that is gone is not too large', async () => {
    expect(await tooManyFiles('/nowhere/at/all', process.env)).toBeUndefined();
  });
});
