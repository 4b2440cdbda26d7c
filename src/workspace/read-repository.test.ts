import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkedOut } from './read-repository.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-head-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: folder, env: environment })
    .toString()
    .trim();

it('is what git says, wherever it stands', async () => {
  git('init', '--quiet', '--initial-branch=pawl/x');
  const head = () => checkedOut({ folder, environment });
  await expect(head()).rejects.toThrow();
  git('commit', '--quiet', '--allow-empty', '-m', 'one');
  expect(await head()).toBe(git('rev-parse', 'HEAD'));
  git('commit', '--quiet', '--allow-empty', '-m', 'two');
  git('pack-refs', '--all');
  expect(await head()).toBe(git('rev-parse', 'HEAD'));
  git('checkout', '--quiet', '--detach', 'HEAD~1');
  expect(await head()).toBe(git('rev-parse', 'HEAD'));
});

it('is not taken from a file outside of the branches', async () => {
  writeFileSync(join(folder, 'elsewhere'), `${'a'.repeat(40)}\n`);
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/../../../elsewhere\n');
  await expect(checkedOut({ folder, environment })).rejects.toThrow();
});
