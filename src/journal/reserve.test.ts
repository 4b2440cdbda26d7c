import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSystemError } from '../model/errors.js';
import { type Disk, NODE_DISK } from './disk.js';
import { isDiskFull, makeReserve } from './record-file.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-reserve-'));
  path = join(folder, 'reserve');
});
afterEach(() => rmSync(folder, { recursive: true }));

const systemError = (code: string) => Object.assign(new Error(`${code}: injected`), { code });

describe('a full disk', () => {
  it.each([
    ['ENOSPC', true],
    ['EDQUOT', true],
    ['EIO', false],
  ])('is known by what the system says: %s', (code, isFull) => {
    expect(isDiskFull(systemError(code))).toBe(isFull);
    expect(isDiskFull(new FileSystemError('write to', path, systemError(code)))).toBe(isFull);
  });
});

describe('the reserve', () => {
  it('is space that is taken up', () => {
    makeReserve(NODE_DISK, path);
    expect(statSync(path).size).toBe(64 * 1024);
  });

  it('is left as it is when it is whole, and made anew when it is not', () => {
    makeReserve(NODE_DISK, path);
    const openSync: Disk['openSync'] = () => {
      throw systemError('EROFS');
    };
    makeReserve({ ...NODE_DISK, openSync }, path);
    writeFileSync(path, 'cut');
    makeReserve(NODE_DISK, path);
    expect(statSync(path).size).toBe(64 * 1024);
  });

  it('is none before the disk has given it', () => {
    const fdatasyncSync: Disk['fdatasyncSync'] = () => {
      throw systemError('ENOSPC');
    };
    expect(() => makeReserve({ ...NODE_DISK, fdatasyncSync }, path)).toThrow(new RegExp(`reserve .*${path}: ENOSPC`));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not taken for made by a folder in its place', () => {
    mkdirSync(path);
    expect(() => makeReserve(NODE_DISK, path)).toThrow(new RegExp(`reserve .*${path}: `));
  });
});
