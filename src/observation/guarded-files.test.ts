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

  it('have one figure that tells whether anything changed', async () => {
    const first = digestOf(await watch('test').look(), ALL);
    expect(digestOf(await watch('test').look(), ALL)).toBe(first);
    write('test/a.test.ts', 'z');
    expect(digestOf(await watch('test').look(), ALL)).not.toBe(first);
  });
});
