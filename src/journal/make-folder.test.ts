import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, NODE_DISK, type InTheWay, makeFolder } from './disk.js';
import { ignoreFolder } from './open-file-journal.js';
import { createWarnings } from './journal.js';

let folder: string;
const base = () => join(folder, 'base');
const first = () => join(base(), 'a');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const make = (inTheWay: InTheWay, faults: Partial<Disk> = {}) =>
  makeFolder({ ...NODE_DISK, ...faults }, { base: base(), segments: ['a', 'b'], makesBase: true }, inTheWay);

const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};

/** Another process makes each folder a moment before. */
const othersFirst = ((path: string) => {
  mkdirSync(path);
  failing('EEXIST')();
}) as unknown as Disk['mkdirSync'];

describe('a folder that is made', () => {
  it('is made with those above it, for its owner alone', () => {
    const mkdirWithoutMode = ((path: string) => mkdirSync(path, { mode: 0o500 })) as Disk['mkdirSync'];
    expect(make('refuse', { mkdirSync: mkdirWithoutMode })).toBe(join(first(), 'b'));
    expect(statSync(join(first(), 'b')).mode & 0o777).toBe(0o700);
    // The base is the user's.
    expect(statSync(base()).mode & 0o777).toBe(0o500);
  });

  it('is for nobody else from its first moment on', () => {
    const link = make('refuse', { chmodSync: () => undefined });
    expect([first(), link].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
  });

  it('is made below a base of several folders that are missing, also where nothing above can be looked at', () => {
    const place = { base: join(base(), 'x', 'y'), segments: ['a'], makesBase: true } as const;
    expect(makeFolder(NODE_DISK, place, 'refuse')).toBe(join(base(), 'x', 'y', 'a'));
    rmSync(base(), { recursive: true });
    const blind = { ...NODE_DISK, lstatSync: (() => undefined) as unknown as Disk['lstatSync'] };
    expect(makeFolder(blind, place, 'refuse')).toBe(join(base(), 'x', 'y', 'a'));
    expect(readdirSync(join(base(), 'x', 'y'))).toEqual(['a']);
  });

  it('is not made below a base that is missing and not ours to make', () => {
    expect(() => makeFolder(NODE_DISK, { base: base(), segments: ['a'] }, 'refuse')).toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says why its base could not be made, and not what follows from that', () => {
    const mkdirAbove = ((path: string) =>
      path === base() ? failing('EACCES')() : mkdirSync(path)) as Disk['mkdirSync'];
    expect(() => make('refuse', { mkdirSync: mkdirAbove })).toThrow('EACCES');
  });

  it('is left as it is when it is there', () => {
    make('refuse');
    expect(make('refuse', { mkdirSync: failing('EIO'), chmodSync: failing('EIO') })).toBe(join(first(), 'b'));
  });

  it('says what stands in its place', () => {
    mkdirSync(base());
    writeFileSync(first(), 'theirs');
    expect(() => make('refuse')).toThrow(new RegExp(`^cannot use ${first()}: .*not a folder; move it`));
    rmSync(first());
    symlinkSync(folder, first());
    expect(() => make('refuse')).toThrow(new RegExp(`^cannot use ${first()}: .*symbolic link; move it`));
  });

  it('moves away what stands in its place when it may, and is never made through a link', () => {
    mkdirSync(base());
    writeFileSync(first(), 'theirs');
    make('move');
    expect(readFileSync(`${first()}.foreign-1`, 'utf8')).toBe('theirs');
    rmSync(first(), { recursive: true });
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), first());
    make('move');
    expect(readdirSync(base()).sort()).toEqual(['a', 'a.foreign-1', 'a.foreign-2']);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('may be made by another process at the same moment', () => {
    expect(make('refuse', { mkdirSync: othersFirst })).toBe(join(first(), 'b'));
    expect(readdirSync(first())).toEqual(['b']);
  });

  it('is not taken for made when a file came first', () => {
    mkdirSync(base());
    const fileFirst = ((path: string) => {
      writeFileSync(path, '');
      failing('EEXIST')();
    }) as unknown as Disk['mkdirSync'];
    expect(() => make('refuse', { mkdirSync: fileFirst })).toThrow('EEXIST');
    rmSync(first());
    expect(() => make('refuse', { mkdirSync: failing('EEXIST') })).toThrow('EEXIST');
  });

  it.each([false, true])('that cannot be made names its path (base there: %s)', (isThere) => {
    if (isThere) mkdirSync(base());
    const refused = () => make('refuse', { mkdirSync: failing('EROFS') });
    expect(refused).toThrow(`cannot make the folder ${join(first(), 'b')}: EROFS`);
  });
});

describe('the rule that keeps a folder out of commits', () => {
  const ignore = (faults: Partial<Disk> = {}) => {
    const warnings = createWarnings();
    ignoreFolder({ ...NODE_DISK, ...faults }, folder, warnings);
    return warnings.list;
  };

  it('is written once, and a rule of the user is left alone', () => {
    expect(ignore()).toEqual([]);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    writeFileSync(join(folder, '.gitignore'), '# mine\n');
    expect(ignore()).toEqual([]);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('# mine\n');
  });

  it('may be written by another process at the same moment; that it could not be is told', () => {
    expect(ignore({ openSync: failing('EEXIST') })).toEqual([]);
    expect(ignore({ openSync: failing('EROFS') })).toEqual([
      expect.stringMatching(new RegExp(`^${folder} .*git: EROFS: injected`)),
    ]);
  });
});
