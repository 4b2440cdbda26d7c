import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tokenIn } from './token-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-token-'));
  path = join(folder, 'token');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file that is not there is made, for its owner alone, and is good the next time', () => {
  const token = tokenIn(path);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(tokenIn(path)).toBe(token);
  expect(readFileSync(path, 'utf8')).toBe(`${token}\n`);
});

it.each([0o644, 0o640, 0o604, 0o620])('one that others can use is refused: %o', (mode) => {
  writeFileSync(path, 'a'.repeat(40));
  chmodSync(path, mode);
  expect(() => tokenIn(path)).toThrow(/--token-file: others can read it; chmod 600/);
});

it.each(['', 'short', 'a b'.repeat(20), 'x'.repeat(9000), `${'a'.repeat(40)}\n${'b'.repeat(40)}`])(
  'what is no token is refused: %.20j',
  (text) => {
    writeFileSync(path, text, { mode: 0o600 });
    expect(() => tokenIn(path)).toThrow(/a token is one line/);
  },
);

it('a pipe and a folder are refused at once', () => {
  spawnSync('mkfifo', ['-m', '600', path]);
  expect(() => tokenIn(path)).toThrow(/--token-file: it is not a file/);
  expect(() => tokenIn(folder)).toThrow(/--token-file/);
});

it('a place that cannot be written is said', () => {
  expect(() => tokenIn(join(folder, 'no', 'such', 'token'))).toThrow(/--token-file: the folder .*such does not exist/);
});
