import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOutside, outsidePath } from './outside-programs.js';

let folder = '';
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-outside-')))));
afterEach(() => rmSync(folder, { recursive: true }));

function program(...path: readonly string[]): string {
  const file = join(folder, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

const search = (path: string, tree = 'tree', home = 'home') => ({
  trees: [join(folder, tree)],
  home: join(folder, home),
  path,
});

describe('a program outside the tree', () => {
  it('is found behind one of the tree, whatever the tree does to look like something else', () => {
    program('tree', 'bin', 'claude');
    program('tree', 'node_modules', '.bin', 'claude');
    mkdirSync(join(folder, 'links'));
    symlinkSync(join(folder, 'tree', 'bin', 'claude'), join(folder, 'links', 'claude'));
    symlinkSync(join(folder, 'tree', 'bin'), join(folder, 'linked'));
    const real = program('usr', 'claude');
    const path = ['', '.', 'bin', './node_modules/.bin', '../tree/bin', 'tree/bin', 'linked', 'links', 'usr'];
    const absolute = path.map((one, index) => (index < 5 ? one : join(folder, one)));
    expect(findOutside('claude', search(absolute.join(':')))).toBe(real);
    expect(outsidePath(search(absolute.join(':')))).toBe(`${join(folder, 'links')}:${join(folder, 'usr')}`);
  });

  it('is not one that cannot be run', () => {
    chmodSync(program('usr', 'claude'), 0o644);
    mkdirSync(join(folder, 'usr', 'codex'), { recursive: true });
    expect(findOutside('claude', search(join(folder, 'usr')))).toBeUndefined();
    expect(findOutside('codex', search(join(folder, 'usr')))).toBeUndefined();
    expect(findOutside('claude', search(''))).toBeUndefined();
    expect(findOutside('claude', { ...search(''), path: undefined })).toBeUndefined();
  });

  it('is there for somebody who stands in the home folder, apart from installed packages', () => {
    const own = program('home', '.local', 'bin', 'claude');
    program('home', 'node_modules', '.bin', 'codex');
    const path = `${join(folder, 'home', 'node_modules', '.bin')}:${join(folder, 'home', '.local', 'bin')}`;
    expect(findOutside('claude', search(path, 'home'))).toBe(own);
    expect(findOutside('claude', search(path, '.'))).toBe(own);
    expect(findOutside('codex', search(path, 'home'))).toBeUndefined();
  });

  it('is not taken for one of the tree because its path begins alike', () => {
    const other = program('tree-two', 'claude');
    expect(findOutside('claude', search(join(folder, 'tree-two')))).toBe(other);
  });
});
