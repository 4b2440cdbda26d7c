import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, NODE_DISK, folderOf, isSameFile } from './disk.js';
import { createRecordLinks } from './record-links.js';
import { findRunPlaces, linkedRecord, ownLink } from './run-places.js';
import { clearTheWay } from './record-file.js';
import { createWarnings } from './journal.js';

const RUN_ID = 'loop_01JZZZZZZZZZZZZZZZZZZZZZZZ';
let workingDir: string;

beforeEach(() => {
  workingDir = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-links-')));
});
afterEach(() => rmSync(workingDir, { recursive: true }));

const places = () => findRunPlaces(workingDir, RUN_ID, { XDG_STATE_HOME: join(workingDir, 'state') });

/** A record with a journal, and how to link it. */
function begun(faults: Partial<Disk> = {}) {
  const record = folderOf(places().record);
  mkdirSync(record, { recursive: true });
  writeFileSync(join(record, 'journal.jsonl'), 'ours');
  const warnings = createWarnings();
  const links = createRecordLinks({ ...NODE_DISK, ...faults }, places(), warnings);
  return { record, links, warnings, link: join(workingDir, '.ralph', 'runs', RUN_ID, 'journal.jsonl') };
}

describe('the links to a record', () => {
  it('are made of what there is, and again when they are gone, with the folders around them', () => {
    const { record, links, link, warnings } = begun();
    expect(links.keep()).toBe(true);
    expect(readlinkSync(link)).toBe(join(record, 'journal.jsonl'));
    expect(lstatSync(join(link, '..', 'state.json'), { throwIfNoEntry: false })).toBeUndefined();
    expect(links.keep()).toBe(false);
    rmSync(join(workingDir, '.ralph'), { recursive: true });
    expect(links.keep()).toBe(true);
    expect(readFileSync(link, 'utf8')).toBe('ours');
    expect(warnings.list).toEqual([]);
  });

  it('take the place of whatever is there, which is kept', () => {
    const { links, link, warnings } = begun();
    links.keep();
    rmSync(link);
    mkdirSync(link);
    links.keep();
    expect(readFileSync(link, 'utf8')).toBe('ours');
    expect(statSync(`${link}.foreign-1`).isDirectory()).toBe(true);
    expect(warnings.list).toEqual([expect.stringContaining(`${link}.foreign-1`)]);
  });

  it.each([
    ['EPERM', 1],
    ['EIO', 2],
  ])('that cannot be made are tried again only where it may become possible: %s', (code, tries) => {
    let count = 0;
    const symlinkSync: Disk['symlinkSync'] = () => {
      count += 1;
      throw Object.assign(new Error(`${code}: injected`), { code });
    };
    const { record, links, warnings } = begun({ symlinkSync });
    links.keep();
    links.keep();
    expect(count).toBe(tries);
    expect(warnings.list).toEqual([expect.stringContaining(`the record in ${record} has no links in `)]);
  });

  it('lead to the record also for a command that is given one of them', () => {
    const { record, links, link } = begun();
    links.keep();
    expect(ownLink(link)).toBe(join(record, 'journal.jsonl'));
    expect(ownLink(join(record, 'journal.jsonl'))).toBe(join(record, 'journal.jsonl'));
  });

  it.each([
    ['a file that is no journal', (record: string) => join(record, 'notes')],
    ['the record of another run', (record: string) => join(`${record}0`, 'journal.jsonl')],
    ['a path from wherever one is', () => `runs/${RUN_ID}/journal.jsonl`],
  ])('are not trusted when they lead to %s', (_, target) => {
    const { record, link } = begun();
    for (const folder of [record, `${record}0`]) {
      mkdirSync(folder, { recursive: true });
      for (const name of ['journal.jsonl', 'notes']) writeFileSync(join(folder, name), '');
    }
    mkdirSync(join(link, '..'), { recursive: true });
    NODE_DISK.symlinkSync(target(record), link);
    expect([linkedRecord(join(link, '..')), ownLink(link)]).toEqual([undefined, link]);
  });
});

it('a file of the same number on another disk is another file', () => {
  expect(isSameFile({ dev: 1, ino: 7 }, { dev: 1, ino: 7 })).toBe(true);
  expect(isSameFile({ dev: 2, ino: 7 }, { dev: 1, ino: 7 })).toBe(false);
  expect(isSameFile(undefined, { dev: 1, ino: 7 })).toBe(false);
});

it('a way that was cleared is not taken for one where our file stands', () => {
  const { record, warnings } = begun();
  const path = join(record, 'journal.jsonl');
  const ours = statSync(path);
  expect(clearTheWay(NODE_DISK, path, ours, warnings)).toBe(true);
  expect(clearTheWay(NODE_DISK, path, { dev: ours.dev, ino: 0 }, warnings)).toBe(false);
  expect(readFileSync(`${path}.foreign-1`, 'utf8')).toBe('ours');
  expect(clearTheWay(NODE_DISK, path, ours, warnings)).toBe(false);
  expect(warnings.list).toEqual([expect.stringMatching(new RegExp(`${path} .*${path}.foreign-1$`))]);
});
