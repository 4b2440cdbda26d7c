import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSystemError } from '../model/errors.js';
import { OutputStore } from './output-store.js';

let folder: string;
let workingDir: string;
let store: OutputStore;
beforeEach(() => {
  const scratch = mkdtempSync(join(tmpdir(), 'pawl-outputs-'));
  [folder, workingDir] = [join(scratch, 'run'), join(scratch, 'work')];
  mkdirSync(folder);
  mkdirSync(workingDir);
  store = new OutputStore({ folder, workingDir, paths: ['out/deep/a.txt', 'out/b.txt'] });
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

async function staged(text: string): Promise<string> {
  writeFileSync(store.stage(0, 1), text);
  return store.hash(0, 1);
}

const placed = () => readFileSync(join(workingDir, 'out/deep/a.txt'), 'utf8');

describe('an approved output', () => {
  it('is moved into its place, and nothing of it is left where it waited', async () => {
    const hash = await staged('new');
    expect(await store.place(0, 1, hash)).toBe('placed');
    expect(placed()).toBe('new');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes the place of an older one', async () => {
    mkdirSync(join(workingDir, 'out/deep'), { recursive: true });
    writeFileSync(join(workingDir, 'out/deep/a.txt'), 'old');
    expect(await store.place(0, 1, await staged('new'))).toBe('placed');
    expect(placed()).toBe('new');
  });

  it('that is in its place already, as after a crash, is found there', async () => {
    const hash = await staged('new');
    await store.place(0, 1, hash);
    expect(await store.place(0, 1, hash)).toBe('placed');
  });

  it('that is in neither place is lost, and so is one that somebody changed', async () => {
    const hash = await staged('new');
    writeFileSync(store.stagedPath(0, 1), 'other');
    expect(await store.place(0, 1, hash)).toBe('lost');
    rmSync(store.stagedPath(0, 1));
    expect(await store.place(0, 1, hash)).toBe('lost');
    expect(existsSync(join(workingDir, 'out'))).toBe(false);
  });

  it('that cannot be moved stays where it waits', async () => {
    const hash = await staged('new');
    writeFileSync(join(workingDir, 'out'), 'in the way');
    await expect(store.place(0, 1, hash)).rejects.toThrow(FileSystemError);
    rmSync(join(workingDir, 'out'));
    expect(await store.place(0, 1, hash)).toBe('placed');
  });
});

describe('an output that was not approved', () => {
  it('is kept until the next one of the item', async () => {
    writeFileSync(store.stage(0, 1), 'one');
    await store.keep(0, 1);
    writeFileSync(store.stage(0, 2), 'two');
    expect(readFileSync(store.stagedPath(0, 1), 'utf8')).toBe('one');
    await store.keep(0, 2);
    expect(existsSync(store.stagedPath(0, 1))).toBe(false);
    expect(readFileSync(store.stagedPath(0, 2), 'utf8')).toBe('two');
  });

  it('of a cut short attempt is gone when it is made again', async () => {
    writeFileSync(store.stage(0, 1), 'half');
    expect(existsSync(store.stage(0, 1))).toBe(false);
    expect(await store.found(0, 1)).toBe('nothing');
    mkdirSync(store.stagedPath(0, 1));
    expect(await store.found(0, 1)).toBe('no-file');
  });
});

describe('a link in place of an output', () => {
  it.each([
    ['that leads to a file of somebody else', '/etc/passwd'],
    ['that leads nowhere', 'not-there'],
  ])('%s is no file', async (_what, target) => {
    symlinkSync(target, store.stage(0, 1));
    expect(await store.found(0, 1)).toBe('no-file');
    await expect(store.hash(0, 1)).rejects.toThrow(FileSystemError);
  });

  it('that came after the approval is not moved into its place', async () => {
    const hash = await staged('new');
    const path = store.stage(0, 1);
    writeFileSync(join(workingDir, 'same'), 'new');
    symlinkSync(join(workingDir, 'same'), path);
    expect(await store.place(0, 1, hash)).toBe('lost');
    expect(existsSync(join(workingDir, 'out'))).toBe(false);
  });
});
