import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, NODE_DISK } from './disk.js';
import { deadRunAt, describeHolder, findLock, holderAt, newHolder, nonceAt, ownIdentity } from './lock.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-holder-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const self = ownIdentity();
const alive = { ...newHolder('loop_mine', new Date('2026-01-01T00:00:00Z'), self), nonce: '0123456789ab' };
const dead = { ...alive, pid: 2 ** 30 };
const long = new Date('2026-01-01T00:00:00Z');

/** A lock file with anything in it, that nobody has touched for long. */
function leave(value: unknown): void {
  writeFileSync(path, JSON.stringify(value));
  utimesSync(path, long, long);
}

const seen = () => ({
  found: findLock(NODE_DISK, path, self).kind,
  holder: holderAt(NODE_DISK, path, self)?.runId,
  dead: deadRunAt(NODE_DISK, path, self),
  nonce: nonceAt(NODE_DISK, path),
});

describe('what stands at the path of a lock', () => {
  it('is nothing, as all who look agree', () => {
    expect(seen()).toEqual({ found: 'free', holder: undefined, dead: undefined, nonce: undefined });
  });

  it('is a holder that lives, and no run whose writer died', () => {
    leave(alive);
    expect(seen()).toEqual({ found: 'held', holder: 'loop_mine', dead: undefined, nonce: '0123456789ab' });
  });

  it('is a run whose writer died, and nobody who holds it', () => {
    leave(dead);
    expect(seen()).toEqual({ found: 'stale', holder: undefined, dead: 'loop_mine', nonce: '0123456789ab' });
  });

  it.each([
    'words',
    null,
    7,
    {},
    { ...alive, host: 1 },
    { ...alive, runId: undefined },
    { ...alive, since: 1 },
    { ...alive, pid: '1' },
    { ...alive, nonce: 12 },
    { ...alive, nonce: '' },
    { ...alive, nonce: '../../01' },
    { ...alive, nonce: '01/../..' },
    { ...alive, nonce: '0'.repeat(33) },
  ])('is nobody when it cannot have been written by a holder: %o', (value) => {
    leave(value);
    expect(seen()).toEqual({ found: 'stale', holder: undefined, dead: undefined, nonce: undefined });
  });

  it('is nobody who could be named when the disk does not give it away', () => {
    leave(alive);
    const openSync: Disk['openSync'] = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const disk: Disk = { ...NODE_DISK, openSync };
    expect([holderAt(disk, path, self), deadRunAt(disk, path, self)]).toEqual([undefined, undefined]);
    expect(() => findLock(disk, path, self)).toThrow('EIO');
  });

  it('is free when it went away between two looks', () => {
    leave(alive);
    const openSync: Disk['openSync'] = (name, ...rest) => {
      rmSync(path);
      return NODE_DISK.openSync(name, ...rest);
    };
    expect(findLock({ ...NODE_DISK, openSync }, path, self)).toEqual({ kind: 'free' });
  });

  it('has another nonce when it is another file with the same damage, so that a late taker takes none that is new', () => {
    leave('damaged');
    const before = findLock(NODE_DISK, path, self);
    expect(before).toMatchObject({ kind: 'stale', nonce: expect.stringMatching(/^[0-9a-f]{12}$/) as string });
    expect(findLock(NODE_DISK, path, self)).toEqual(before);
    utimesSync(path, long, new Date('2026-01-02T00:00:00Z'));
    expect(findLock(NODE_DISK, path, self)).not.toEqual(before);
  });
});

describe('a holder that cannot be seen from here', () => {
  it.each([
    ['on another machine', { host: 'elsewhere' }],
    ['in another container', { pidNamespace: 'pid:[1]' }],
  ])('is said to be %s', (where, change) => {
    const words = describeHolder({ ...alive, ...change }, self);
    expect(words).toContain(where);
    expect(words).not.toContain('pawl stop');
  });

  it('is told from one that can be asked to stop, also by whoever has no run', () => {
    const words = describeHolder(alive, self, '/above');
    expect(words).toMatch(/^already running in \/above /);
    expect(words).toContain('pawl stop loop_mine --cwd "/above" stops it');
  });
});
