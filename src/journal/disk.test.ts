import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSystemError } from '../model/errors.js';
import {
  type Disk,
  errnoOf,
  isMissing,
  namesIn,
  NODE_DISK,
  onDisk,
  OPEN_TO_WRITE,
  openNewFile,
  readWholeFile,
  statOf,
  syncFolder,
  writeNewFile,
} from './disk.js';
import { saveAndCut } from './recover.js';

let folder: string;
let path: string;
let openBefore: number;

const openDescriptors = () => readdirSync('/proc/self/fd').length;

beforeEach(() => {
  openBefore = openDescriptors();
  folder = mkdtempSync(join(tmpdir(), 'pawl-disk-'));
  path = join(folder, 'file');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  // Whatever went wrong: a run that makes files for days must leave none of them open.
  expect(openDescriptors()).toBe(openBefore);
});

const systemError = (code: unknown) => Object.assign(new Error(`${String(code)}: injected`), { code });
const failing = (code: unknown) => (): never => {
  throw systemError(code);
};

describe('what the system says', () => {
  it('is found inside our own errors, and is not taken from what has no name for it', () => {
    expect(errnoOf(new FileSystemError('open', path, systemError('EIO')))).toBe('EIO');
    expect(errnoOf(systemError(7))).toBeUndefined();
    expect(errnoOf(new Error('without a code'))).toBeUndefined();
    expect(errnoOf('EIO')).toBeUndefined();
  });

  it('of a name that leads nowhere is the same whether the folder or the file is missing', () => {
    writeFileSync(path, '');
    expect(isMissing(systemError('ENOENT'))).toBe(true);
    expect(isMissing(systemError('ENOTDIR'))).toBe(true);
    expect(isMissing(systemError('EACCES'))).toBe(false);
    expect(statOf(NODE_DISK, join(folder, 'nothing'))).toBeUndefined();
    expect(statOf(NODE_DISK, join(path, 'below a file'))).toBeUndefined();
    expect(() => statOf({ ...NODE_DISK, lstatSync: failing('EIO') }, path)).toThrow('EIO');
  });

  it('is told with the path, and an error of our own is left as it is', () => {
    expect(() => onDisk('lock', path, failing('EROFS'))).toThrow(`cannot lock ${path}: EROFS: injected`);
    const ours = new FileSystemError('open', 'elsewhere', 'gone');
    expect(() =>
      onDisk('lock', path, () => {
        throw ours;
      }),
    ).toThrow(ours);
  });
});

describe('a new file', () => {
  it('has its mode whatever the umask is, and is never one that is there', () => {
    // As a umask of 777 would have it.
    const openSync: Disk['openSync'] = (name, flags) => NODE_DISK.openSync(name, flags, 0);
    writeNewFile({ ...NODE_DISK, openSync }, path, Buffer.from('x'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => writeNewFile(NODE_DISK, path, Buffer.from('y'))).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('x');
  });

  it('is closed again when its mode cannot be set', () => {
    const open: number[] = [];
    const disk: Disk = {
      ...NODE_DISK,
      openSync: (...parameters) => {
        const descriptor = NODE_DISK.openSync(...parameters);
        open.push(descriptor);
        return descriptor;
      },
      fchmodSync: failing('EPERM'),
      closeSync: (descriptor) => {
        open.splice(open.indexOf(descriptor), 1);
        NODE_DISK.closeSync(descriptor);
      },
    };
    expect(() => openNewFile(disk, path)).toThrow('EPERM');
    expect(open).toEqual([]);
  });

  it.each<[string, Partial<Disk>]>([
    ['written', { writeSync: failing('ENOSPC') }],
    ['synced', { fdatasyncSync: failing('EIO') }],
  ])('that cannot be %s leaves no part of it behind', (_, faults) => {
    expect(() => writeNewFile({ ...NODE_DISK, ...faults }, path, Buffer.from('x'), { sync: true })).toThrow('injected');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is synced only when that is asked for', () => {
    const disk: Disk = { ...NODE_DISK, fdatasyncSync: failing('EIO') };
    writeNewFile(disk, path, Buffer.from('x'));
    writeNewFile(disk, `${path}-2`, Buffer.from('x'), { sync: false });
    expect(readdirSync(folder)).toHaveLength(2);
  });
});

describe('a file that is read whole', () => {
  it('is none when it is missing, and an error when it is a folder, too large, or cannot be opened', () => {
    expect(readWholeFile(NODE_DISK, path, 5)).toBeUndefined();
    expect(() => readWholeFile(NODE_DISK, folder, 5)).toThrow(/not a regular file/);
    writeFileSync(path, '12345');
    expect(readWholeFile(NODE_DISK, path, 5)?.toString()).toBe('12345');
    expect(() => readWholeFile(NODE_DISK, path, 4)).toThrow('it is larger than 4 bytes');
    expect(() => readWholeFile({ ...NODE_DISK, openSync: failing('EIO') }, path, 5)).toThrow('EIO');
  });

  it('ends where it was cut while it was read, and not in bytes that were never written', () => {
    writeFileSync(path, '12345');
    const fstatSync = (() => Object.assign(statSync(path), { size: 50 })) as unknown as Disk['fstatSync'];
    expect(readWholeFile({ ...NODE_DISK, fstatSync }, path, 50)?.toString()).toBe('12345');
  });
});

describe('the sync of a folder', () => {
  it.each(['EINVAL', 'ENOTSUP'])('is done without where the file system knows none (%s)', (errno) => {
    expect(() => syncFolder({ ...NODE_DISK, fsyncSync: failing(errno) }, folder)).not.toThrow();
  });

  it('that fails is not passed over', () => {
    expect(() => syncFolder({ ...NODE_DISK, fsyncSync: failing('EIO') }, folder)).toThrow('EIO');
  });
});

describe('the end of a file that is saved and cut off', () => {
  it('is not cut off when its copy cannot be synced', () => {
    writeFileSync(path, 'wholetorn');
    const descriptor = NODE_DISK.openSync(path, OPEN_TO_WRITE);
    const disk: Disk = { ...NODE_DISK, fdatasyncSync: failing('EIO') };
    expect(() => saveAndCut(disk, descriptor, path, { offset: 5, bytes: 4 })).toThrow('EIO');
    NODE_DISK.closeSync(descriptor);
    expect(readFileSync(path, 'utf8')).toBe('wholetorn');
  });

  it('is what is left of it when another process has cut it already, and does not wait for more', () => {
    writeFileSync(path, 'wholetorn');
    const descriptor = NODE_DISK.openSync(path, OPEN_TO_WRITE);
    const { savedTo } = saveAndCut(NODE_DISK, descriptor, path, { offset: 5, bytes: 400 });
    NODE_DISK.closeSync(descriptor);
    expect([readFileSync(path, 'utf8'), readFileSync(savedTo, 'utf8')]).toEqual(['whole', 'torn']);
  });
});

it('a folder that is not there, or is none, holds nothing', () => {
  writeFileSync(path, '');
  for (const none of [path, `${path}-2`]) expect(namesIn(none)).toEqual([]);
  expect(namesIn(folder)).toEqual([basename(path)]);
});
