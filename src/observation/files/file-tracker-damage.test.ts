import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { fingerprint, ScratchTree } from '../../../test/support/scratch-tree.js';
import { findProgram } from '../../process/run-tool.js';

const open: ScratchTree[] = [];
function scratch(options: ConstructorParameters<typeof ScratchTree>[0] = {}): ScratchTree {
  const tree = new ScratchTree(options);
  tree.write('a', '1\n');
  tree.write('sub/b', '1\n');
  open.push(tree);
  return tree;
}
afterEach(() => {
  for (const tree of open.splice(0)) tree.remove();
});

const shadowGit = (tree: ScratchTree, ...args: readonly string[]) =>
  execFileSync('git', [`--git-dir=${tree.shadow}`, ...args], { encoding: 'utf8' }).trim();

describe('a damaged shadow repository', () => {
  const damages: readonly (readonly [string, (shadow: string) => void])[] = [
    ['whose index was deleted', (shadow) => rmSync(join(shadow, 'index'))],
    ['whose index is cut short', (shadow) => truncateSync(join(shadow, 'index'), 100)],
    ['whose index is empty', (shadow) => truncateSync(join(shadow, 'index'), 0)],
    ['whose index is garbage', (shadow) => writeFileSync(join(shadow, 'index'), 'garbage'.repeat(50))],
    ['that lost its objects', (shadow) => emptyFolder(join(shadow, 'objects'))],
    ['whose HEAD is garbage', (shadow) => writeFileSync(join(shadow, 'HEAD'), `${'1'.repeat(40)}\n`)],
    ['that is half made', (shadow) => rmSync(join(shadow, 'refs'), { recursive: true })],
    ['that is gone', (shadow) => rmSync(shadow, { recursive: true })],
    ['with locks of a git that was killed', leaveLocks],
  ];

  it.each(damages)('%s gives the same tree, and goes on seeing changes', async (_, damage) => {
    const tree = scratch();
    const before = await tree.tree();
    damage(tree.shadow);
    expect(await tree.tree()).toBe(before);
    damage(tree.shadow);
    tree.write('a', '2\n');
    const after = await tree.tree();
    expect(after).not.toBe(before);
    tree.write('a', '1\n');
    expect(await tree.tree()).toBe(before);
    expect(await tree.tracker.changes(before, after)).toMatchObject({ modified: ['a'], changedLines: 2 });
  });

  it('that was made on another machine is told in words', async () => {
    const tree = scratch();
    expect(await tree.tracker.changes('dedd67a8'.repeat(5), await tree.tree())).toEqual({
      error: expect.stringMatching(/cannot be tracked: .*this machine/),
    });
  });

  it('that cannot be made is an error in words', async () => {
    const tree = scratch();
    writeFileSync(tree.state, 'a file where a folder belongs');
    expect(await tree.tracker.snapshot('one')).toEqual({ error: expect.stringContaining('cannot be tracked') });
  });
});

function emptyFolder(folder: string): void {
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true });
}

function leaveLocks(shadow: string): void {
  for (const name of ['index.lock', 'HEAD.lock', 'refs/runs/loop_TEST.lock']) writeFileSync(join(shadow, name), '');
}

describe('what cannot be captured', () => {
  it('a FIFO in the place of a file is reported, and the last content kept', async () => {
    const tree = scratch();
    const changes = await tree.changes(() => {
      rmSync(tree.at('a'));
      execFileSync('mkfifo', [tree.at('a')]);
      tree.write('sub/b', '2\n');
    }, ['a']);
    expect(changes).toMatchObject({ modified: ['sub/b'], deleted: [] });
  });

  it('a name that git does not take is reported', async () => {
    const tree = scratch();
    const changes = await tree.changes(() => {
      tree.write('.GIT/config', 'x');
      tree.write('c', '1');
    }, [expect.stringContaining('.GIT/config')]);
    expect(changes.created).toEqual(['c']);
  });

  it('files that may not be read are reported, and all others captured', async () => {
    const tree = scratch();
    const tracker = tree.open({ environment: asNobody(tree) });
    const before = await tracker.snapshot('one');
    const secrets = ['secret\n1', 'secret 2', 'secret\u0007 3'];
    for (const name of secrets) tree.write(name, 'x', 0);
    tree.write('c', '1');
    giveAway(tree.top);
    const after = await tracker.snapshot('two');
    if (!('tree' in before && 'tree' in after)) throw new Error(JSON.stringify([before, after]));
    expect([...after.incomplete].sort()).toEqual(secrets.sort());
    expect(await tracker.changes(before.tree, after.tree)).toMatchObject({ created: ['c'], changedFiles: 1 });
  });

  it('a folder that may not be read is reported', async () => {
    const tree = scratch();
    const tracker = tree.open({ environment: asNobody(tree) });
    tree.write('closed/d', 'x');
    chmodSync(tree.at('closed'), 0);
    const snapshot = await tracker.snapshot('one');
    expect(snapshot).toMatchObject({ incomplete: [expect.stringContaining('closed')] });
    chmodSync(tree.at('closed'), 0o700);
  });
});

function giveAway(folder: string): void {
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', folder]);
}

/** Root may read everything: there git becomes somebody else. */
function asNobody(tree: ScratchTree): Readonly<Record<string, string | undefined>> {
  if (process.getuid?.() !== 0) return tree.environment;
  const bin = join(tree.folder, 'bin');
  mkdirSync(bin);
  const git = findProgram('git', '/', process.env.PATH) ?? 'git';
  const words = `exec setpriv --reuid=65534 --regid=65534 --clear-groups ${git} "$@"`;
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nchown -R 65534:65534 '${tree.state}'\n${words}\n`, { mode: 0o755 });
  giveAway(tree.folder);
  return { ...tree.environment, PATH: `${bin}:${process.env.PATH}` };
}

describe('limits', () => {
  it('a large file is not stored; untouched it is no change, written it is one', async () => {
    const tree = scratch({ limits: { fileBytes: 1000 } });
    tree.write('large', 'x'.repeat(200_000));
    const first = await tree.tree();
    expect(await tree.tree()).toBe(first);
    expect(Number(shadowGit(tree, 'cat-file', '-s', `${first}:large`))).toBeLessThan(200);
    expect(await tree.changes(() => tree.write('large', 'y'.repeat(200_000)))).toMatchObject({
      modified: ['large'],
      changedLines: 0,
    });
    expect(await tree.changes(() => chmodSync(tree.at('large'), 0o755))).toMatchObject({ modified: ['large'] });
    expect(await tree.changes(() => tree.write('large', 'small\n'))).toMatchObject({ modified: ['large'] });
    expect(await tree.changes(() => tree.write('large', 'other\n'))).toMatchObject({ modified: ['large'] });
    expect(await tree.changes(() => tree.write('large', 'x'.repeat(2000)))).toMatchObject({ modified: ['large'] });
    expect(await tree.changes(() => rmSync(tree.at('large')))).toMatchObject({ deleted: ['large'] });
  });

  it('a large file that changed while no runner was there is seen by the next one', async () => {
    const limits = { fileBytes: 1000 };
    const tree = scratch({ limits });
    tree.write('large', 'x'.repeat(2000));
    const first = await tree.tree();
    expect(await tree.open({ limits }).snapshot('same')).toEqual({ tree: first, incomplete: [] });
    utimesSync(tree.at('large'), 1e9, 1e9);
    expect(await tree.open({ limits }).snapshot('other')).not.toEqual({ tree: first, incomplete: [] });
    rmSync(join(tree.shadow, 'index'));
    tree.write('large', 'x');
    const third = await tree.open({ limits }).snapshot('small');
    expect(third).not.toEqual({ tree: first, incomplete: [] });
    tree.write('.gitignore', 'large\n');
    expect(await tree.open({ limits }).snapshot('ignored')).not.toEqual(third);
  });

  it('too many files are refused with the way out, and tracked again when there are fewer', async () => {
    const tree = scratch({ hasGit: false, limits: { fileCountOutsideGit: 5 } });
    expect(await tree.tracker.snapshot('one')).toHaveProperty('tree');
    for (let file = 0; file < 4; file++) tree.write(`f${file}`, '');
    expect(await tree.tracker.snapshot('two')).toEqual({
      error: expect.stringMatching(/more than 5 files.*no_progress.*cannot be judged.*track_file_changes: false/),
    });
    rmSync(tree.at('f0'));
    await tree.tracker.snapshot('not tried');
    expect(await tree.tracker.snapshot('three')).toHaveProperty('tree');
  });

  it('files of a tree with too many of them are not counted for every snapshot', async () => {
    const tree = scratch({ hasGit: false });
    const bin = join(tree.folder, 'bin');
    const log = join(tree.folder, 'log');
    mkdirSync(bin);
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec ${real} "$@"\n`, { mode: 0o755 });
    const environment = { ...tree.environment, PATH: `${bin}:${process.env.PATH}` };
    const tracker = tree.open({ environment, limits: { fileCountOutsideGit: 2 } });
    for (let file = 0; file < 4; file++) tree.write(`f${file}`, '');
    for (let count = 0; count < 20; count++) expect(await tracker.snapshot(`${count}`)).toHaveProperty('error');
    const counted = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('status '));
    expect(counted.length).toBeLessThanOrEqual(5);
  });

  it('an aborted snapshot is an error, and the next one is right', async () => {
    const tree = scratch();
    const first = await tree.tree();
    expect(await tree.tracker.snapshot('aborted', AbortSignal.abort())).toHaveProperty('error');
    tree.write('a', '2\n');
    const abort = new AbortController();
    const aborted = tree.tracker.snapshot('aborted', abort.signal);
    setTimeout(() => abort.abort(), 15);
    await aborted;
    expect(await tree.tracker.changes(first, await tree.tree())).toMatchObject({ modified: ['a'], changedFiles: 1 });
  });

  it('a git that hangs is an error after the time allowed', async () => {
    const tree = scratch();
    const bin = join(tree.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nsleep 60\n', { mode: 0o755 });
    const environment = { ...tree.environment, PATH: `${bin}:${process.env.PATH}` };
    const snapshot = await tree.open({ environment, limits: { timeoutMs: 300 } }).snapshot('one');
    expect(snapshot).toEqual({ error: expect.stringMatching(/git \w+ did not end within/) });
  });

  it('without git, without a folder, with unknown trees: errors in words', async () => {
    const tree = scratch();
    const none = { ...tree.environment, PATH: tree.folder };
    expect(await tree.open({ environment: none }).snapshot('one')).toEqual({
      error: expect.stringMatching(/git is not a program.*track_file_changes: false/),
    });
    expect(await tree.open({ workingDir: tree.at('nowhere') }).snapshot('one')).toHaveProperty('error');
    expect(await tree.tracker.changes('1'.repeat(40), '2'.repeat(40))).toHaveProperty('error');
  });
});

describe('the snapshots of a run', () => {
  it('are a chain of commits that a later process of the run goes on with', async () => {
    const tree = scratch();
    await tree.tree();
    await tree.tree();
    tree.write('a', '2\n');
    await tree.tree();
    tree.write('a', '3\n');
    await tree.open().snapshot('after a restart');
    const labels = shadowGit(tree, 'log', '--format=%s', 'refs/runs/loop_TEST').split('\n');
    expect(labels).toEqual(['after a restart', 'snapshot 3', 'snapshot 1']);
    expect(statSync(tree.shadow).mode & 0o777).toBe(0o700);
  });

  it('are commits that git finds nothing wrong with, also when those before them were packed', async () => {
    const tree = scratch();
    await tree.tree();
    for (const [at, packs] of [true, false].entries()) {
      tree.write('a', `${at}, a later one\n`);
      await tree.tree();
      expect(shadowGit(tree, 'fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
      if (packs) shadowGit(tree, 'repack', '-A', '-d', '-q');
    }
    const commits = shadowGit(tree, 'log', '--format=%s by %an <%ae>, %cn <%ce>', 'refs/runs/loop_TEST').split('\n');
    const by = 'Pawl <pawl@localhost>';
    expect(commits).toEqual([3, 2, 1].map((count) => `snapshot ${count} by ${by}, ${by}`));
    const [newest = 0, , oldest = 0] = shadowGit(tree, 'log', '--format=%ct', 'HEAD').split('\n').map(Number);
    expect(newest).toBeGreaterThanOrEqual(oldest);
    expect(Math.abs(Date.now() / 1000 - newest)).toBeLessThan(600);
  });

  it('are told apart in the same way while the second is written and afterwards', async () => {
    const tree = scratch();
    tree.write('sub/run', 'echo\n');
    tree.write('bytes', Buffer.from([0, 1, 2]));
    const before = await tree.tree();
    tree.write('sub.new/c', '1\n2\n');
    tree.write('sub/run', 'echo\necho\n', 0o755);
    tree.write('bytes', Buffer.from([0, 1]));
    rmSync(tree.at('sub/b'));
    const after = await tree.tree();
    const changes = await tree.tracker.changes(before, after);
    expect(changes).toEqual(await tree.open().changes(before, after));
    expect(changes).toMatchObject({ created: ['sub.new/c'], modified: ['bytes', 'sub/run'], deleted: ['sub/b'] });
  });

  it('asked for at once are taken one after the other', async () => {
    const tree = scratch();
    const snapshots = await Promise.all(['one', 'two', 'three'].map((label) => tree.tracker.snapshot(label)));
    expect(new Set(snapshots.map((snapshot) => JSON.stringify(snapshot))).size).toBe(1);
    expect(snapshots[0]).toHaveProperty('tree');
  });

  it('see what somebody adds between the look at a folder and the writing of the index', async () => {
    const tree = scratch();
    const bin = join(tree.folder, 'bin');
    mkdirSync(bin);
    const git = findProgram('git', '/', process.env.PATH) ?? 'git';
    const interfere = `[ "$1" = update-index ] && rm '${tree.folder}/armed' && touch '${tree.top}/sub/late' && sleep 1.1`;
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${interfere}\nexec ${git} "$@"\n`, { mode: 0o755 });
    const tracker = tree.open({ environment: { ...tree.environment, PATH: `${bin}:${process.env.PATH}` } });
    await tracker.snapshot('one');
    // The folder is looked at and changed in one second, the index written in the next.
    await pause(1000 - (Date.now() % 1000) + 20);
    tree.write('sub/short-lived', '');
    rmSync(tree.at('sub/short-lived'));
    tree.write('c', '1');
    writeFileSync(join(tree.folder, 'armed'), '');
    const before = await tracker.snapshot('two');
    const after = await tracker.snapshot('three');
    if (!('tree' in before && 'tree' in after)) throw new Error(JSON.stringify([before, after]));
    expect(existsSync(join(tree.folder, 'armed'))).toBe(false);
    expect(await tracker.changes(before.tree, after.tree)).toMatchObject({ created: ['sub/late'], changedFiles: 1 });
  });

  it('succeed while somebody writes, deletes and replaces files without pause', async () => {
    const tree = scratch();
    const script = `
      const fs = require('node:fs');
      for (let n = 0; ; n++) {
        const name = 'w' + (n % 97);
        try {
          if (n % 3 === 0) fs.writeFileSync(name, 'x'.repeat(n % 5000));
          else if (n % 3 === 1) fs.rmSync(name, { recursive: true, force: true });
          else { fs.mkdirSync(name + '/d', { recursive: true }); fs.writeFileSync(name + '/d/f', String(n)); }
        } catch {}
      }`;
    const writer = spawn(process.execPath, ['-e', script], { cwd: tree.top, stdio: 'ignore' });
    try {
      for (let round = 0; round < 8; round++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
        expect(await tree.tracker.snapshot(`round ${round}`)).toHaveProperty('tree');
      }
    } finally {
      writer.kill('SIGKILL');
      await new Promise((resolve) => writer.once('exit', resolve));
    }
    for (const name of readdirSync(tree.top).filter((name) => name.startsWith('w'))) {
      rmSync(tree.at(name), { recursive: true });
    }
    const quiet = await tree.tree();
    expect(shadowGit(tree, 'ls-tree', '-r', '--name-only', quiet).split('\n')).toEqual(['a', 'sub/b']);
    expect(existsSync(join(tree.shadow, 'index.lock'))).toBe(false);
  });
});

describe('a git tree that is too large for snapshots', () => {
  const large = async () => {
    const tree = scratch({ limits: { fileCount: 1 } });
    for (const name of ['a', 'b', 'c']) tree.write(name, `${name}\n`);
    tree.commitAll();
    const fingerprint = async () => {
      const snapshot = await tree.tracker.snapshot('one');
      expect(snapshot).toEqual({
        error: expect.stringContaining('only by git status'),
        fingerprint: expect.stringMatching(/^status:[0-9a-f]{40}$/),
      });
      return 'fingerprint' in snapshot ? snapshot.fingerprint : undefined;
    };
    return { tree, fingerprint };
  };

  it('has the same fingerprint when nothing but times changed', async () => {
    const { tree, fingerprint } = await large();
    const first = await fingerprint();
    utimesSync(tree.at('a'), 1e9, 1e9);
    expect(await fingerprint()).toBe(first);
  });

  it('has another fingerprint with each change, also of an uncommitted file, and the first again when all is put back', async () => {
    const { tree, fingerprint } = await large();
    const seen = [await fingerprint()];
    tree.write('a', 'changed\n');
    seen.push(await fingerprint());
    tree.write('a', 'changed again\n');
    seen.push(await fingerprint());
    tree.write('new', '');
    seen.push(await fingerprint());
    rmSync(tree.at('b'));
    seen.push(await fingerprint());
    chmodSync(tree.at('c'), 0o755);
    seen.push(await fingerprint());
    expect(new Set(seen).size).toBe(seen.length);
    tree.git('reset', '-q', '--hard');
    rmSync(tree.at('new'));
    expect(await fingerprint()).toBe(seen[0]);
  });

  it('has the same fingerprint before and after the work is committed', async () => {
    const { tree, fingerprint } = await large();
    await fingerprint();
    tree.write('a', 'changed\n');
    tree.write('new', 'new\n');
    const before = await fingerprint();
    tree.commitAll();
    expect(await fingerprint()).toBe(before);
  });

  it('has no fingerprint where changes in a nested repository would stay unseen', async () => {
    const { tree } = await large();
    mkdirSync(tree.at('nested'));
    tree.gitIn(tree.at('nested'), 'init', '-q');
    tree.write('nested/x', '');
    tree.gitIn(tree.at('nested'), 'add', '-A');
    tree.gitIn(tree.at('nested'), 'commit', '-qm', 'x');
    expect(await tree.tracker.snapshot('one')).toEqual({
      error: expect.stringMatching(/nested\/ .*repository/),
    });
  });

  it('nothing that its repository names is executed, and nothing is written there', async () => {
    const { tree, fingerprint: take } = await large();
    const mark = join(tree.folder, 'executed');
    tree.write('.gitattributes', '* filter=evil\n');
    tree.git('config', 'filter.evil.clean', `touch ${mark}; cat`);
    tree.git('config', 'core.fsmonitor', `touch ${mark}`);
    tree.write('a', 'changed\n');
    const before = fingerprint(tree.at('.git'));
    await take();
    expect(existsSync(mark)).toBe(false);
    expect(fingerprint(tree.at('.git'))).toBe(before);
  });
});

describe('the store of snapshots', () => {
  const CONTENT = Array.from({ length: 15_000 }, () => randomBytes(30).toString('hex'));
  const edited = (tree: ScratchTree, version: number) => {
    tree.write('large.txt', CONTENT.with(version * 7, `edit ${version}`).join('\n'));
  };

  it('keeps many versions of a file in little more room than one, and each can still be compared', async () => {
    const tree = scratch();
    const trees: string[] = [];
    for (let version = 0; version < 25; version++) {
      edited(tree, version);
      trees.push(await tree.tree());
    }
    const size = statSync(tree.at('large.txt')).size;
    await tree.tracker.close();
    expect(bytesBelow(join(tree.shadow, 'objects'))).toBeLessThan(4 * size);
    edited(tree, 60);
    trees.push(await tree.tree());
    for (const [index, after] of trees.entries()) {
      const before = trees[index - 1];
      if (before !== undefined) expect(await tree.tracker.changes(before, after)).toMatchObject({ changedFiles: 1 });
    }
    expect(tree.gitIn(tree.shadow, 'fsck', '--no-progress', '--no-dangling')).toBe('');
  });

  it('is packed while the next snapshots are taken', async () => {
    const tree = scratch();
    const bin = join(tree.folder, 'bin');
    mkdirSync(bin);
    const [started, go] = [join(tree.folder, 'started'), join(tree.folder, 'go')];
    const real = findProgram('git', '/', process.env.PATH);
    const script = `#!/bin/sh
case "$*" in *repack*) touch '${started}'; while [ ! -e '${go}' ]; do sleep 0.02; done;; esac
exec '${real}' "$@"
`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    const tracker = tree.open({ environment: { ...tree.environment, PATH: `${bin}:${process.env.PATH}` } });
    tree.write('random', randomBytes(9_000_000));
    const trees: (string | undefined)[] = [];
    const next = async () => {
      tree.write('a', `${trees.length}\n`);
      const taken = await tracker.snapshot('one');
      trees.push('tree' in taken ? taken.tree : undefined);
    };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    while (!existsSync(started) && trees.length < 100) await next();
    for (let more = 0; more < 3; more += 1) await next(); // oxlint-disable-line no-await-in-loop -- as above
    expect(existsSync(go)).toBe(false);
    expect(trees).not.toContain(undefined);
    writeFileSync(go, '');
    await tracker.close();
    expect(new Set(trees).size).toBe(trees.length);
    expect(await tracker.changes(trees[0] ?? '', trees.at(-1) ?? '')).toMatchObject({ modified: ['a'] });
    expect(tree.gitIn(tree.shadow, 'fsck', '--no-progress', '--no-dangling')).toBe('');
  });

  it('what a packing that was killed left half written is removed by the next', async () => {
    const tree = scratch();
    await tree.tree();
    const packs = join(tree.shadow, 'objects', 'pack');
    mkdirSync(packs, { recursive: true });
    for (const name of ['tmp_pack_x', '.tmp-1-pack-x.pack']) writeFileSync(join(packs, name), 'half');
    tree.write('random', randomBytes(9_000_000));
    await tree.tree();
    await tree.tracker.close();
    expect(readdirSync(packs).filter((name) => name.includes('tmp'))).toEqual([]);
    expect(readdirSync(packs).filter((name) => name.endsWith('.pack'))).not.toEqual([]);
  });
});

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
