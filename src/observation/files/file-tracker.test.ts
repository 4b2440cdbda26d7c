import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
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

const NOTHING = { created: [], modified: [], deleted: [], changedFiles: 0, changedLines: 0 };

describe('what a snapshot sees', () => {
  it('a file that is only touched is no change', async () => {
    const tree = scratch();
    tree.write('a.txt', 'a\n');
    expect(await tree.changes(() => utimesSync(tree.at('a.txt'), 1e9, 1e9))).toEqual(NOTHING);
  });

  it('created, modified, deleted, renamed and made executable', async () => {
    const tree = scratch();
    for (const name of ['modified', 'deleted', 'renamed', 'mode']) tree.write(name, `${name}\n1\n2\n`);
    tree.commitAll();
    const changes = await tree.changes(() => {
      tree.write('created', 'one\ntwo\n');
      tree.write('modified', 'modified\n1\nthree\n');
      rmSync(tree.at('deleted'));
      renameSync(tree.at('renamed'), tree.at('moved'));
      chmodSync(tree.at('mode'), 0o755);
    });
    expect(changes).toEqual({
      created: ['created', 'moved'],
      modified: ['mode', 'modified'],
      deleted: ['deleted', 'renamed'],
      changedFiles: 6,
      changedLines: 2 + 3 + 2 + 3 + 3,
    });
  });

  it('a binary file counts as changed, with no lines', async () => {
    const tree = scratch();
    const changes = await tree.changes(() => tree.write('image.bin', Buffer.from([0, 1, 10, 10, 0])));
    expect(changes).toMatchObject({ created: ['image.bin'], changedLines: 0 });
  });

  it('files in an untracked folder', async () => {
    const tree = scratch();
    tree.write('new/deep/a.txt', 'a');
    expect((await tree.changes(() => tree.write('new/deep/a.txt', 'b'))).modified).toEqual(['new/deep/a.txt']);
  });

  it('a file replaced by a folder, and a folder by a file', async () => {
    const tree = scratch();
    tree.write('file', 'a');
    tree.write('folder/b', 'b');
    const changes = await tree.changes(() => {
      rmSync(tree.at('file'));
      rmSync(tree.at('folder'), { recursive: true });
      tree.write('file/c', 'c');
      tree.write('folder', 'd');
    });
    expect(changes).toMatchObject({ created: ['file/c', 'folder'], deleted: ['file', 'folder/b'] });
  });

  it('an edit of the same size in the same second, every time', async () => {
    const tree = scratch();
    tree.write('a.txt', 'a0');
    const seen = new Set([await tree.tree()]);
    for (let round = 1; round <= 9; round++) {
      tree.write('a.txt', `a${round}`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      seen.add(await tree.tree());
    }
    expect(seen.size).toBe(10);
  });

  it('an edit of the same size whose time is put back', async () => {
    const tree = scratch();
    tree.write('a.txt', 'before');
    utimesSync(tree.at('a.txt'), 1e9, 1e9);
    const changedAt = Math.floor(statSync(tree.at('a.txt')).ctimeMs / 1000);
    const changes = await tree.changes(async () => {
      // Within the second of the last change nothing would tell: what remains is documented.
      await pause((changedAt + 1) * 1000 - Date.now() + 20);
      tree.write('a.txt', 'after!');
      utimesSync(tree.at('a.txt'), 1e9, 1e9);
    });
    expect(changes.modified).toEqual(['a.txt']);
  });

  it('a symlink that points elsewhere, and one that takes the place of a file', async () => {
    const tree = scratch();
    tree.write('file', 'a');
    symlinkSync('file', tree.at('link'));
    const changes = await tree.changes(() => {
      rmSync(tree.at('link'));
      symlinkSync('nowhere', tree.at('link'));
      rmSync(tree.at('file'));
      symlinkSync('/etc', tree.at('file'));
    });
    expect(changes).toMatchObject({ modified: ['file', 'link'], created: [], deleted: [] });
  });

  it('names with line feeds, quotes, dashes, blanks and bytes that are not UTF-8', async () => {
    const tree = scratch();
    const names = [
      'a\nb',
      '"quoted"',
      "it's",
      '-rf',
      '--stdin',
      ' blank ',
      'tab\there',
      'back\\slash',
      'ünï',
      ':(top)x',
      '*',
    ];
    const changes = await tree.changes(() => {
      for (const name of names) tree.write(name, 'x');
      writeFileSync(Buffer.concat([Buffer.from(`${tree.top}/`), Buffer.from([0x66, 0xff, 0xc3, 0xa9])]), 'x');
    });
    expect([...changes.created].sort()).toEqual([...names, 'f\\xffé'].sort());
  });

  it('the content that comes back has the same name', async () => {
    const tree = scratch();
    tree.write('a', '1');
    const first = await tree.tree();
    tree.write('a', '2');
    expect(await tree.tree()).not.toBe(first);
    tree.write('a', '1');
    expect(await tree.tree()).toBe(first);
  });
});

describe('the rules of what is ignored', () => {
  it('a change of ignored files only is no change', async () => {
    const tree = scratch();
    tree.write('.gitignore', 'ignored/\n*.log\n');
    writeFileSync(tree.at('.git/info/exclude'), 'private\n');
    mkdirSync(join(tree.environment.HOME, '.config/git'), { recursive: true });
    writeFileSync(join(tree.environment.HOME, '.config/git/ignore'), '*.swp\n');
    const changes = await tree.changes(() => {
      for (const name of ['ignored/a', 'b.log', 'private', '.a.swp', '.ralph/runs/x/journal.jsonl'])
        tree.write(name, 'x');
    });
    expect(changes).toEqual(NOTHING);
  });

  it("the user's own excludes file is heeded, wherever the configuration has it", async () => {
    const tree = scratch();
    writeFileSync(join(tree.environment.HOME, 'my-ignores'), '*.mine\n');
    writeFileSync(join(tree.environment.HOME, '.gitconfig'), '[core]\n\texcludesFile = ~/my-ignores\n');
    expect(await tree.changes(() => tree.write('a.mine', 'x'))).toEqual(NOTHING);
  });

  it('a file that is tracked although a rule ignores it is seen', async () => {
    const tree = scratch();
    tree.write('.gitignore', '*.log\n');
    tree.write('kept.log', '1');
    tree.git('add', '-f', 'kept.log');
    tree.commitAll();
    expect((await tree.changes(() => tree.write('kept.log', '2'))).modified).toEqual(['kept.log']);
    expect((await tree.changes(() => rmSync(tree.at('kept.log')))).deleted).toEqual(['kept.log']);
    expect((await tree.changes(() => tree.write('kept.log', '3'))).created).toEqual(['kept.log']);
    tree.write('later.log', '1');
    tree.git('add', '-f', 'later.log');
    expect((await tree.changes(() => tree.write('later.log', '2'))).modified).toEqual(['later.log']);
  });

  it('files that a new rule ignores leave the snapshot, and come back with the old one', async () => {
    const tree = scratch();
    tree.write('dist/a.js', '1');
    const before = await tree.tree();
    tree.write('.gitignore', 'dist/\n');
    const ignoring = await tree.tree();
    tree.write('dist/a.js', '2');
    expect(await tree.tree()).toBe(ignoring);
    rmSync(tree.at('.gitignore'));
    tree.write('dist/a.js', '1');
    expect(await tree.tree()).toBe(before);
  });

  it('a file that is changed and ignored at once leaves the snapshot', async () => {
    const tree = scratch();
    tree.write('dist', '1');
    const changes = await tree.changes(() => {
      tree.write('dist', '2');
      tree.write('.gitignore', 'dist\n');
    });
    expect(changes).toMatchObject({ created: ['.gitignore'], deleted: ['dist'], modified: [] });
  });

  it('a rule that takes everything back does not bring in the folder of the runs', async () => {
    const tree = scratch();
    tree.write('.gitignore', '!*\n!.ralph/\n!/.ralph/**\n');
    expect(await tree.changes(() => tree.write('.ralph/runs/x/journal.jsonl', 'x'))).toEqual(NOTHING);
    tree.git('add', '-f', '.ralph');
    expect(await tree.changes(() => tree.write('.ralph/runs/x/journal.jsonl', 'y'))).toEqual(NOTHING);
  });

  it('a folder named .ralph that is not at the top is an ordinary one', async () => {
    const tree = scratch();
    expect(await tree.changes(() => tree.write('test/.ralph/a.test.js', 'x'))).toMatchObject({
      created: ['test/.ralph/a.test.js'],
    });
  });

  it('the state folder inside the tree is not in the snapshot', async () => {
    const tree = scratch();
    const environment = { ...tree.environment, XDG_STATE_HOME: tree.at('my [state]') };
    const tracker = tree.open({ environment });
    const first = await tracker.snapshot('one');
    tree.write('my [state]/pawl/other', 'x');
    expect(await tracker.snapshot('two')).toEqual(first);
    tree.write('my [state]/elsewhere', 'x');
    expect(await tracker.snapshot('three')).not.toEqual(first);
  });
});

describe('repositories of every shape', () => {
  it('no git at all', async () => {
    const tree = scratch({ hasGit: false });
    tree.write('a', '1');
    expect((await tree.changes(() => tree.write('a', '2'))).modified).toEqual(['a']);
  });

  it.each([['garbage'], ['gitdir: /nowhere/at/all'], ['']])('a .git file that says %j', async (content) => {
    const tree = scratch({ hasGit: false });
    tree.write('.git', content);
    tree.write('a', '1');
    expect((await tree.changes(() => tree.write('a', '2'))).modified).toEqual(['a']);
  });

  it('inside a bare repository', async () => {
    const tree = scratch({ hasGit: false });
    tree.git('init', '-q', '--bare', '.');
    expect((await tree.changes(() => tree.write('description', 'other'))).modified).toEqual(['description']);
  });

  it('a repository without a commit, and a broken one', async () => {
    const tree = scratch();
    tree.write('a', '1');
    tree.git('add', '-A');
    writeFileSync(tree.at('.git/HEAD'), 'ref: refs/heads/gone');
    expect((await tree.changes(() => tree.write('a', '2'))).modified).toEqual(['a']);
    writeFileSync(tree.at('.git/config'), 'not a [config');
    const snapshot = await tree.open().snapshot('broken');
    expect(snapshot).toMatchObject({ tree: await tree.tree(), incomplete: [expect.stringContaining('bad config')] });
  });

  it('changes inside nested repositories, and in repositories inside those', async () => {
    const tree = scratch();
    for (const folder of ['inner', 'inner/innermost', 'empty']) {
      mkdirSync(tree.at(folder));
      tree.gitIn(tree.at(folder), 'init', '-q');
    }
    tree.write('inner/a', '1');
    tree.write('inner/innermost/b', '1');
    tree.gitIn(tree.at('inner/innermost'), 'add', '-A');
    tree.gitIn(tree.at('inner/innermost'), 'commit', '-qm', 'b');
    const changes = await tree.changes(() => {
      tree.write('inner/a', '2');
      tree.write('inner/innermost/b', '2');
    });
    expect(changes).toMatchObject({ modified: ['inner/a', 'inner/innermost/b'], created: [], deleted: [] });
    expect(await tree.tree()).toBe(await tree.tree());
  });

  it('a repository made inside another one that is known, and one that ceases to be one', async () => {
    const tree = scratch();
    tree.write('inner/deep/a', '1');
    tree.gitIn(tree.at('inner'), 'init', '-q');
    expect(await tree.changes(() => tree.gitIn(tree.at('inner/deep'), 'init', '-q'))).toEqual(NOTHING);
    rmSync(tree.at('inner/deep/a'));
    await tree.tree();
    expect((await tree.changes(() => tree.write('inner/deep/b', '1'))).created).toEqual(['inner/deep/b']);
    expect(await tree.changes(() => rmSync(tree.at('inner/deep/.git'), { recursive: true }))).toEqual(NOTHING);
    expect((await tree.changes(() => tree.write('inner/deep/b', '2'))).modified).toEqual(['inner/deep/b']);
  });

  it('changes inside a submodule', async () => {
    const tree = scratch();
    const origin = join(tree.folder, 'origin');
    mkdirSync(origin);
    tree.gitIn(origin, 'init', '-q');
    writeFileSync(join(origin, 'lib.c'), '1');
    tree.gitIn(origin, 'add', '-A');
    tree.gitIn(origin, 'commit', '-qm', 'lib');
    tree.git('submodule', '--quiet', 'add', origin, 'sub');
    tree.commitAll();
    expect((await tree.changes(() => tree.write('sub/lib.c', '2'))).modified).toEqual(['sub/lib.c']);
  });

  it('a linked work tree, of which the other one is not seen', async () => {
    const tree = scratch();
    tree.write('a', '1');
    tree.commitAll();
    const linked = join(tree.folder, 'linked');
    tree.git('worktree', 'add', '-q', linked);
    const tracker = tree.open({ workingDir: linked });
    const first = await tracker.snapshot('one');
    tree.write('a', '2');
    expect(await tracker.snapshot('two')).toEqual(first);
    writeFileSync(join(linked, 'a'), '3');
    expect(await tracker.snapshot('three')).not.toEqual(first);
  });

  it('from a folder of the work tree the whole is seen, with paths relative to the folder', async () => {
    const tree = scratch();
    tree.write('src/inner/a', '1');
    tree.write('other/b', '1');
    const tracker = tree.open({ workingDir: tree.at('src/inner') });
    const before = await tracker.snapshot('one');
    tree.write('src/inner/a', '2');
    tree.write('src/c', '1');
    rmSync(tree.at('other/b'));
    const after = await tracker.snapshot('two');
    if (!('tree' in before && 'tree' in after)) throw new Error('no snapshot');
    expect(await tracker.changes(before.tree, after.tree)).toMatchObject({
      created: ['../c'],
      modified: ['a'],
      deleted: ['../../other/b'],
    });
  });
});

describe("the user's repository", () => {
  it('is the same byte by byte after snapshots, with its index locked, staged changes and a stash', async () => {
    const tree = scratch();
    tree.write('a', '1');
    tree.commitAll();
    tree.write('a', 'stashed');
    tree.git('stash', '-q');
    tree.write('staged', 's');
    tree.git('add', 'staged');
    tree.write('untracked', 'u');
    tree.write('.git/index.lock', '');
    tree.write('.git/pawl/runs/x', 'the journal');
    const before = fingerprint(tree.at('.git'));
    const changes = await tree.changes(() => tree.write('a', '2'));
    expect(changes.modified).toEqual(['a']);
    expect(fingerprint(tree.at('.git'))).toBe(before);
  });

  it('commits and resets that leave the files as they were are no change', async () => {
    const tree = scratch();
    tree.write('a', '1');
    tree.commitAll();
    tree.write('a', '2');
    const before = await tree.tree();
    tree.commitAll();
    expect(await tree.tree()).toBe(before);
    tree.git('reset', '-q', '--soft', 'HEAD^');
    expect(await tree.tree()).toBe(before);
    tree.git('reset', '-q', '--hard', 'HEAD');
    expect(await tree.tree()).not.toBe(before);
  });

  it('never gets a filter, a hook or a monitor of its own executed', async () => {
    const tree = scratch();
    const script = join(tree.folder, 'marks');
    writeFileSync(script, `#!/bin/sh\ntouch '${tree.folder}/executed'\ncat\n`, { mode: 0o755 });
    tree.write('.gitattributes', '* filter=mark diff=mark text eol=crlf\n');
    tree.write('a.txt', 'one\r\ntwo\r\n');
    tree.commitAll();
    tree.write('nested/b.txt', 'b');
    tree.gitIn(tree.at('nested'), 'init', '-q');
    for (const folder of ['.', 'nested']) {
      const config = (...words: string[]) => tree.gitIn(tree.at(folder), 'config', ...words);
      for (const key of ['filter.mark.clean', 'filter.mark.smudge', 'filter.mark.process', 'diff.mark.textconv']) {
        config(key, script);
      }
      config('filter.mark.required', 'true');
      config('diff.external', script);
      config('core.pager', script);
      config('core.fsmonitor', script);
      config('core.hooksPath', join(tree.folder, 'hooks'));
    }
    mkdirSync(join(tree.folder, 'hooks'));
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'post-checkout']) {
      symlinkSync(script, join(tree.folder, 'hooks', hook));
    }
    const changes = await tree.changes(() => tree.write('a.txt', 'one\r\nthree\r\n'));
    expect(changes).toMatchObject({ modified: ['a.txt'], changedLines: 2 });
    expect(() => statSync(join(tree.folder, 'executed'))).toThrow('ENOENT');
  });

  it('that converts line ends does not blur them: a file is what its bytes are', async () => {
    const tree = scratch();
    tree.git('config', 'core.autocrlf', 'true');
    tree.write('a.txt', 'one\r\ntwo\r\n');
    tree.commitAll();
    expect((await tree.changes(() => tree.write('a.txt', 'one\ntwo\n'))).modified).toEqual(['a.txt']);
  });

  it('that ignores the executable bit is believed', async () => {
    const tree = scratch();
    tree.git('config', 'core.fileMode', 'false');
    tree.write('a', '1');
    expect(await tree.changes(() => chmodSync(tree.at('a'), 0o755))).toEqual(NOTHING);
  });

  it('steered by variables of the environment is not mistaken for another', async () => {
    const tree = scratch();
    tree.write('a', '1');
    const environment = { ...tree.environment, GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere', GIT_WORK_TREE: '/etc' };
    expect(await tree.open({ environment }).snapshot('one')).toMatchObject({ incomplete: [] });
  });

  it('of many files is copied once, and a clean checkout needs no further objects', async () => {
    const tree = scratch();
    for (let file = 0; file < 1100; file++) tree.write(`d${file % 7}/f${file}`, `${file}\n`);
    tree.commitAll();
    const before = fingerprint(tree.at('.git'));
    const changes = await tree.changes(() => tree.write('d0/f0', 'other\n'));
    expect(fingerprint(tree.at('.git'))).toBe(before);
    expect(changes).toMatchObject({ modified: ['d0/f0'], changedFiles: 1 });
    const loose = execFileSync('find', [join(tree.shadow, 'objects'), '-path', '*/??/*', '-type', 'f'], {
      encoding: 'utf8',
    });
    expect(loose.split('\n').length).toBeLessThan(40);
  });
});

it('the lines of the last change are the same when they are compared again later', async () => {
  const tree = scratch();
  tree.write('old name', '1\n2\n3\n');
  tree.write('gone', 'was here\n');
  tree.write('a', '1\n');
  tree.write('image', Buffer.from([0, 1, 2, 3]));
  const before = await tree.tree();
  tree.write('old name', '1\nchanged line\n3\n');
  tree.write('tab\tand "ümlaut"', 'new line\n');
  tree.write('image', Buffer.from([0, 3, 2, 1]));
  rmSync(tree.at('gone'));
  chmodSync(tree.at('a'), 0o755);
  const after = await tree.tree();
  const changes = await tree.tracker.changes(before, after);
  const lines = await tree.tracker.changedLines(before, after);
  tree.write('a', 'more\n');
  await tree.tree();
  expect(await tree.tracker.changes(before, after)).toEqual(changes);
  expect(await tree.tracker.changedLines(before, after)).toEqual(lines);
  expect('error' in lines ? [] : lines.lines).toHaveLength(6);
  expect(changes).toMatchObject({ changedFiles: 5, changedLines: 4 });
});
