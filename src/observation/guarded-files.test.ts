import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { protectedPathChanged } from '../stop/conditions.js';
import { changedBetween, digestOf, GuardedFiles } from './guarded-files.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-guard-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let tree = '';
const at = (name: string) => join(tree, name);
const write = (name: string, text: string) => writeFileSync(at(name), text);

beforeEach(() => {
  tree = mkdtempSync(join(base, 'tree-'));
  mkdirSync(at('test/deep'), { recursive: true });
  mkdirSync(at('src'));
  write('test/a.test.ts', 'a');
  write('test/deep/b.test.ts', 'b');
  write('src/main.ts', 'main');
  write('package.json', '{}');
});

const ALL = () => true;
const watch = (...paths: string[]) => new GuardedFiles(tree, [protectedPathChanged(paths)]);

async function changesBy(act: () => void, ...paths: string[]): Promise<readonly string[] | undefined> {
  const files = watch(...paths);
  const before = await files.look();
  act();
  return changedBetween(before, await files.look());
}

describe('protected files', () => {
  it.each<[string, () => void, readonly string[]]>([
    ['an edit of the same length', () => write('test/a.test.ts', 'x'), ['test/a.test.ts']],
    ['a new file', () => write('test/new', ''), ['test/new']],
    ['a file that is gone', () => rmSync(at('test/deep/b.test.ts')), ['test/deep/b.test.ts']],
    ['the whole folder gone', () => rmSync(at('test'), { recursive: true }), ['test/a.test.ts', 'test/deep/b.test.ts']],
    [
      'a link in place of a file',
      () => (rmSync(at('test/a.test.ts')), symlinkSync('/dev/zero', at('test/a.test.ts'))),
      ['test/a.test.ts'],
    ],
    ['a file that may be run now', () => chmodSync(at('test/a.test.ts'), 0o755), ['test/a.test.ts']],
    ['a rename', () => renameSync(at('test/a.test.ts'), at('test/c')), ['test/a.test.ts', 'test/c']],
    ['an edit elsewhere', () => write('src/main.ts', 'other'), []],
    ['a touch', () => utimesSync(at('test/a.test.ts'), 1, 1), []],
  ])('show %s', async (_, act, changed) => expect(await changesBy(act, 'test/**')).toEqual(changed));

  it('show an edit whose time was put back', async () => {
    const put = () => {
      write('test/a.test.ts', 'y');
      utimesSync(at('test/a.test.ts'), 1, 1);
    };
    utimesSync(at('test/a.test.ts'), 1, 1);
    expect(await changesBy(put, 'test')).toEqual(['test/a.test.ts']);
  });

  it('are looked at whatever an ignore rule says', async () => {
    const hide = () => {
      write('.gitignore', 'test/hook\n');
      write('test/hook', 'tampered');
    };
    expect(await changesBy(hide, 'test/**')).toEqual(['test/hook']);
  });

  it('may be named by a glob anywhere, or one by one', async () => {
    const edit = () => ['test/deep/b.test.ts', 'package.json', 'src/main.ts'].forEach((name) => write(name, 'edited'));
    expect(await changesBy(edit, '**/*.test.ts', './package.json')).toEqual(['package.json', 'test/deep/b.test.ts']);
  });

  it('leave out what Pawl and git write themselves', async () => {
    const record = () => {
      for (const name of ['.git', '.ralph']) {
        mkdirSync(at(name));
        write(`${name}/x`, '');
      }
    };
    expect(await changesBy(record, '**')).toEqual([]);
  });

  it.each(['.git', '.ralph'])('include a folder named %s that is not at the top', async (name) => {
    const hide = () => {
      mkdirSync(at(`test/${name}`));
      write(`test/${name}/a.test.ts`, 'tampered');
    };
    expect(await changesBy(hide, 'test/**')).toEqual([`test/${name}/a.test.ts`]);
  });

  it.each<[string, () => void, () => void, readonly string[]]>([
    [
      'an edit through a link to a file',
      () => symlinkSync('../src/main.ts', at('test/t.sh')),
      () => write('test/t.sh', 'exit 0'),
      ['test/t.sh'],
    ],
    [
      'an edit through a link to a folder',
      () => symlinkSync('../src', at('test/linked')),
      () => write('src/main.ts', 'exit 0'),
      ['test/linked/main.ts'],
    ],
    [
      'an edit through the protected folder, which is a link itself',
      () => (renameSync(at('test'), at('real')), symlinkSync('real', at('test'))),
      () => write('test/deep/b.test.ts', 'exit 0'),
      ['test/deep/b.test.ts'],
    ],
    [
      'a new file in a folder outside of the tree, behind two links',
      () => {
        const outside = mkdtempSync(join(base, 'outside-'));
        symlinkSync(outside, at('elsewhere'));
        symlinkSync('../elsewhere', at('test/linked'));
      },
      () => write('elsewhere/new', 'exit 0'),
      ['test/linked/new'],
    ],
    [
      'what a dangling link leads to now',
      () => symlinkSync('../src/missing', at('test/t.sh')),
      () => write('src/missing', 'exit 0'),
      ['test/t.sh'],
    ],
    [
      'another target with the same content',
      () => (write('src/copy.ts', 'main'), symlinkSync('../src/main.ts', at('test/t.sh'))),
      () => (rmSync(at('test/t.sh')), symlinkSync('../src/copy.ts', at('test/t.sh'))),
      ['test/t.sh'],
    ],
    [
      'nothing of a package that node_modules links to',
      () => (mkdirSync(at('test/node_modules')), symlinkSync('../../src', at('test/node_modules/main'))),
      () => write('src/main.ts', 'other'),
      [],
    ],
    [
      'each file once, where links lead in a circle',
      () => {
        symlinkSync('..', at('test/up'));
        symlinkSync('../../src', at('test/deep/src'));
        symlinkSync('../test', at('src/back'));
        symlinkSync('../src', at('src/again'));
        symlinkSync('loop', at('test/loop'));
      },
      () => write('src/main.ts', 'other'),
      ['test/deep/src/main.ts'],
    ],
  ])('show %s', async (_, prepare, act, changed) => {
    prepare();
    expect(await changesBy(act, 'test/**')).toEqual(changed);
  });

  it('show an edit through a link in a folder that the glob names', async () => {
    renameSync(at('test/deep'), at('real'));
    symlinkSync('../real', at('test/deep'));
    const edit = () => write('real/b.test.ts', 'edited');
    expect(await changesBy(edit, 'test/*/*.test.ts')).toEqual(['test/deep/b.test.ts']);
    expect(await changesBy(() => write('real/b.test.ts', 'again'), '**/a.test.ts')).toEqual([]);
  });

  it('that lead to a pipe or an endless device are not read', async () => {
    execFileSync('mkfifo', [at('src/pipe')]);
    symlinkSync('../src/pipe', at('test/pipe'));
    symlinkSync('/dev/zero', at('test/zero'));
    expect(await changesBy(() => write('test/a.test.ts', 'x'), 'test/**')).toEqual(['test/a.test.ts']);
  });

  it('have one figure that tells whether anything changed', async () => {
    const first = digestOf(await watch('test').look(), ALL);
    expect(digestOf(await watch('test').look(), ALL)).toBe(first);
    write('test/a.test.ts', 'z');
    expect(digestOf(await watch('test').look(), ALL)).not.toBe(first);
  });
});
