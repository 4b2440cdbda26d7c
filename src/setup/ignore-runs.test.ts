import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planIgnore } from './ignore-runs.js';

let folder = '';
const environment = () => ({ PATH: process.env['PATH'], HOME: folder });
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-ignore-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function repository(): void {
  expect(spawnSync('git', ['init', '--quiet', folder]).status).toBe(0);
}

const ignore = (text: string) => writeFileSync(join(folder, '.gitignore'), text);
const textOf = async () => {
  const plan = await planIgnore(folder, environment());
  return plan.kind === 'write' ? plan.file.text : plan.kind;
};

describe('the entry for the records of runs', () => {
  it('is not written outside git', async () => {
    expect(await textOf()).toBe('nothing');
  });

  it.each([
    ['', '.ralph/\n'],
    ['dist', 'dist\n.ralph/\n'],
    ['dist\n', 'dist\n.ralph/\n'],
    ['dist\r\n', 'dist\r\n.ralph/\r\n'],
    ['!.ralph/\n', '!.ralph/\n.ralph/\n'],
    ['.ralph/\n', 'nothing'],
    ['/.ralph\n', 'nothing'],
    ['.*\n', 'nothing'],
  ])('after %j', async (before, after) => {
    repository();
    ignore(before);
    expect(await textOf()).toBe(after);
  });

  it('is not needed where the repository, or Pawl itself, has one', async () => {
    repository();
    writeFileSync(join(folder, '.git', 'info', 'exclude'), '.ralph/\n');
    expect(await textOf()).toBe('nothing');
    writeFileSync(join(folder, '.git', 'info', 'exclude'), '');
    mkdirSync(join(folder, '.ralph'));
    expect(await textOf()).toBe('.ralph/\n');
    writeFileSync(join(folder, '.ralph', '.gitignore'), '*\n');
    expect(await textOf()).toBe('nothing');
  });

  it('is not written through a link or into a folder', async () => {
    repository();
    symlinkSync('/etc/hostname', join(folder, '.gitignore'));
    expect(await textOf()).toBe('refused');
    rmSync(join(folder, '.gitignore'));
    mkdirSync(join(folder, '.gitignore'));
    expect(await textOf()).toBe('refused');
  });

  it('is looked for without running what the repository names', async () => {
    repository();
    const mark = join(folder, 'ran');
    spawnSync('git', ['-C', folder, 'config', 'core.fsmonitor', `touch ${mark}`]);
    spawnSync('git', ['-C', folder, 'config', 'core.hooksPath', folder]);
    expect(await textOf()).toBe('.ralph/\n');
    expect(spawnSync('ls', [mark]).status).not.toBe(0);
  });
});
