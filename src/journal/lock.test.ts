import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../test/support/open-files.js';
import { LockedError } from '../model/errors.js';
import { type Disk, NODE_DISK } from './disk.js';
import { acquireLock, holderAt, type LockHolder, newHolder, ownIdentity } from './lock.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const now = new Date('2026-01-01T00:00:00Z');
const self = ownIdentity();
const dead = { ...self, pid: 2 ** 30, startTime: '1' };

const mine = () => newHolder('loop_mine', now);
const leave = (holder: object, at = path) => writeFileSync(at, JSON.stringify(holder));

describe('a lock', () => {
  it('names its holder, and leaves nothing else behind', () => {
    const lock = acquireLock({ path, holder: mine() });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ runId: 'loop_mine', ...self });
    expect(readdirSync(folder)).toEqual(['lock']);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused while its holder lives, in words that say who that is', () => {
    acquireLock({ path, holder: mine() });
    const again = () => acquireLock({ path, holder: newHolder('loop_other', now) });
    expect(again).toThrow(LockedError);
    expect(again).toThrow(
      new RegExp(`run loop_mine .*process ${process.pid} on ${self.host} .*2026-01-01T00:00:00.000Z`),
    );
    expect(again).toThrow('already running here (pawl watch loop_mine)');
    expect(again).toThrow(path);
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('is refused to a pipeline without the advice to use a worktree, which it cannot', () => {
    acquireLock({ path, holder: mine() });
    expect(() => acquireLock({ path, holder: newHolder('loop_other', now) })).toThrow('pawl run --worktree ');
    const refused = () => acquireLock({ path, holder: newHolder('pipe_other', now) });
    expect(refused).toThrow(/pawl stop loop_mine .*pawl wait loop_mine /);
  });

  const gone: Record<string, Partial<LockHolder>> = {
    'whose process is gone': { pid: 2 ** 30 },
    'whose pid belongs to a younger process': { startTime: '1' },
    'from before the machine was started': { bootId: 'another-boot' },
    'with a pid that is none': { pid: -1 },
  };
  it.each(Object.keys(gone))('is taken over from a holder %s', (name) => {
    leave({ ...mine(), ...gone[name] });
    expect(holderAt(NODE_DISK, path)).toBeUndefined();
    acquireLock({ path, holder: newHolder('loop_next', now) });
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_next');
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  const unseen: Record<string, Partial<LockHolder>> = {
    'on another machine': { host: 'elsewhere', pid: 2 ** 30 },
    'in another container': { pidNamespace: 'pid:[1]', pid: 2 ** 30 },
    'of which the start of the machine is not known': { bootId: undefined, pid: 2 ** 30 },
  };
  it.each(Object.keys(unseen))('is not taken over from a holder %s', (name) => {
    leave({ ...mine(), ...unseen[name] });
    const take = () => acquireLock({ path, holder: newHolder('loop_next', now) });
    expect(take).toThrow(/delete the lock\n {2}the lock is/);
  });

  it('is taken over although one died while it took it over, and another while it took that over', () => {
    const first = newHolder('loop_a', now, dead);
    const second = newHolder('loop_b', now, dead);
    const third = newHolder('loop_c', now, dead);
    leave(first);
    leave(second, `${path}.after-${first.nonce}`);
    leave(third, `${path}.after-${first.nonce}.after-${second.nonce}`);
    acquireLock({ path, holder: newHolder('loop_next', now) });
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_next');
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('is refused while another live process takes it over', () => {
    const first = newHolder('loop_a', now, dead);
    leave(first);
    leave(newHolder('loop_b', now), `${path}.after-${first.nonce}`);
    expect(() => acquireLock({ path, holder: newHolder('loop_next', now) })).toThrow(/run loop_b/);
  });

  it('is left to the one who took it over between our look and our step', () => {
    leave(newHolder('loop_a', now, dead));
    const winner = newHolder('loop_b', now);
    const disk: Disk = {
      ...NODE_DISK,
      linkSync(from, to) {
        NODE_DISK.linkSync(from, to);
        if (String(to).includes('.after-')) leave(winner);
      },
    };
    expect(() => acquireLock({ path, holder: newHolder('loop_next', now), disk })).toThrow(/run loop_b/);
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_b');
  });

  it('is looked at anew when one who died too had taken it between our look and our step', () => {
    leave(newHolder('loop_a', now, dead));
    const second = newHolder('loop_b', now, dead);
    const marks: string[] = [];
    const disk: Disk = {
      ...NODE_DISK,
      linkSync(from, to) {
        NODE_DISK.linkSync(from, to);
        if (!String(to).includes('.after-')) return;
        if (marks.push(String(to)) === 1) leave(second);
      },
    };
    acquireLock({ path, holder: mine(), disk });
    expect(marks.slice(1)).toEqual([`${path}.after-${second.nonce}`]);
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_mine');
  });

  it.each(['', '{"host":', 'null', '{"pid":1}'])('that holds %j is refused at first and taken over later', (text) => {
    writeFileSync(path, text);
    expect(() => acquireLock({ path, holder: mine() })).toThrow(/made just now and cannot be read yet/);
    const aMinuteAgo = Date.now() / 1000 - 60;
    utimesSync(path, aMinuteAgo, aMinuteAgo);
    acquireLock({ path, holder: mine() });
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_mine');
  });

  it('is not fooled by a folder or a symlink in its place', () => {
    mkdirSync(path);
    acquireLock({ path, holder: mine() }).release();
    symlinkSync(join(folder, 'elsewhere'), path);
    acquireLock({ path, holder: mine() }).release();
    expect(readdirSync(folder).sort()).toEqual(['lock.foreign-1', 'lock.foreign-2']);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  it('does not remove the lock of somebody else when it is released', () => {
    const lock = acquireLock({ path, holder: mine() });
    leave(newHolder('loop_other', now));
    lock.release();
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_other');
  });

  it('is put back when it was removed', () => {
    const lock = acquireLock({ path, holder: mine() });
    rmSync(path);
    lock.keep();
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_mine');
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is known to be lost when somebody has taken it since who lives', () => {
    const lock = acquireLock({ path, holder: mine() });
    lock.check();
    leave(newHolder('loop_dead', now, dead));
    lock.check();
    rmSync(path);
    lock.check();
    leave(newHolder('loop_other', now));
    expect(() => lock.check()).toThrow(LockedError);
    expect(() => lock.check()).toThrow(/run loop_other/);
  });

  it('that vanishes between two looks is free', () => {
    leave(newHolder('loop_a', now, dead));
    let opened = 0;
    const disk: Disk = {
      ...NODE_DISK,
      openSync(name, ...rest) {
        if (name === path && (opened += 1) === 1) rmSync(path);
        return NODE_DISK.openSync(name, ...rest);
      },
    };
    acquireLock({ path, holder: mine(), disk });
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_mine');
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('is not there to be released when somebody removed it', () => {
    const lock = acquireLock({ path, holder: mine() });
    rmSync(path);
    expect(() => lock.release()).not.toThrow();
  });

  it('names its path where neither a link nor a file can be made', () => {
    const disk: Disk = {
      ...NODE_DISK,
      linkSync() {
        throw Object.assign(new Error('no links here'), { code: 'EPERM' });
      },
      openSync(name, ...rest) {
        if (name === path) throw Object.assign(new Error('EROFS: injected'), { code: 'EROFS' });
        return NODE_DISK.openSync(name, ...rest);
      },
    };
    expect(() => acquireLock({ path, holder: mine(), disk })).toThrow(`cannot lock ${path}: EROFS`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('works on a file system without hard links', () => {
    const disk: Disk = {
      ...NODE_DISK,
      linkSync() {
        throw Object.assign(new Error('no links here'), { code: 'EPERM' });
      },
    };
    const lock = acquireLock({ path, holder: mine(), disk });
    expect(() => acquireLock({ path, holder: newHolder('loop_other', now), disk })).toThrow(LockedError);
    lock.release();
    leave(newHolder('loop_a', now, dead));
    acquireLock({ path, holder: mine(), disk });
    expect(holderAt(NODE_DISK, path)?.runId).toBe('loop_mine');
    if (process.platform === 'linux') expect(openFiles()).not.toContain(path);
  });

  it('is given up when it changes hands all the time, instead of trying for ever', () => {
    const linkSync: Disk['linkSync'] = () => {
      throw Object.assign(new Error('taken'), { code: 'EEXIST' });
    };
    expect(() => acquireLock({ path, holder: mine(), disk: { ...NODE_DISK, linkSync } })).toThrow(
      /keep taking the lock/,
    );
  });

  it('is given up when process after process died over it', () => {
    let at = path;
    for (let depth = 0; depth < 8; depth += 1) {
      const holder = newHolder('loop_a', now, dead);
      leave(holder, at);
      at = `${at}.after-${holder.nonce}`;
    }
    expect(() => acquireLock({ path, holder: mine() })).toThrow(/too many processes died/);
  });

  it('that cannot be made names its path', () => {
    const nowhere = join(folder, 'nowhere', 'lock');
    expect(() => acquireLock({ path: nowhere, holder: mine() })).toThrow(`cannot lock ${nowhere}: ENOENT`);
  });
});
