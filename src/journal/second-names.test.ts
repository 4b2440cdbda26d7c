import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, NODE_DISK, folderOf, isSameFile } from './disk.js';
import { findRunPlaces, createSecondNames } from './run-places.js';
import { clearTheWay } from './record-file.js';
import { createWarnings } from './journal.js';

let workingDir: string;

beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'pawl-second-'));
});
afterEach(() => rmSync(workingDir, { recursive: true }));

/** A file of a run, its second name, and how to give it that. */
function begun(faults: Partial<Disk> = {}) {
  const places = findRunPlaces(workingDir, 'loop_01JZZZZZZZZZZZZZZZZZZZZZZZ', {
    XDG_STATE_HOME: join(workingDir, 'state'),
  });
  const first = join(folderOf(places.first), 'file');
  mkdirSync(folderOf(places.first), { recursive: true });
  writeFileSync(first, 'ours');
  const warnings = createWarnings();
  const names = createSecondNames({ ...NODE_DISK, ...faults }, places, warnings);
  return { first, names, second: names.pathOf('file'), warnings };
}

describe('a second name', () => {
  it('is given in place of whatever has it, and a folder that has it is kept', () => {
    const { first, second, names, warnings } = begun();
    names.link('file');
    rmSync(second);
    writeFileSync(second, 'theirs');
    names.link('file');
    expect(isSameFile(statSync(second), statSync(first))).toBe(true);
    rmSync(second);
    mkdirSync(second);
    names.link('file');
    expect(isSameFile(statSync(second), statSync(first))).toBe(true);
    expect(statSync(`${second}.foreign-1`).isDirectory()).toBe(true);
    expect(warnings.list).toEqual([]);
  });

  it.each([
    ['EXDEV', 1],
    ['EIO', 2],
  ])('that cannot be given is tried again only where it may become possible: %s', (code, tries) => {
    let count = 0;
    const linkSync: Disk['linkSync'] = () => {
      count += 1;
      throw Object.assign(new Error(`${code}: injected`), { code });
    };
    const { first, names, warnings } = begun({ linkSync });
    names.link('file');
    names.link('file');
    expect(count).toBe(tries);
    expect(warnings.list).toEqual([expect.stringContaining(`no second name for ${first} in `)]);
  });
});

it('a file of the same number on another disk is another file', () => {
  expect(isSameFile({ dev: 1, ino: 7 }, { dev: 1, ino: 7 })).toBe(true);
  expect(isSameFile({ dev: 2, ino: 7 }, { dev: 1, ino: 7 })).toBe(false);
  expect(isSameFile(undefined, { dev: 1, ino: 7 })).toBe(false);
});

it('a way that was cleared is not taken for one where our file stands', () => {
  const { first, warnings } = begun();
  const ours = statSync(first);
  expect(clearTheWay(NODE_DISK, first, ours, warnings)).toBe(true);
  expect(clearTheWay(NODE_DISK, first, { dev: ours.dev, ino: 0 }, warnings)).toBe(false);
  expect(readFileSync(`${first}.foreign-1`, 'utf8')).toBe('ours');
  expect(clearTheWay(NODE_DISK, first, ours, warnings)).toBe(false);
  expect(warnings.list).toEqual([expect.stringMatching(new RegExp(`${first} .*${first}.foreign-1$`))]);
});
