import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findControlPlace, findSockets, isSocketOf } from './control-place.js';

const RUN = 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const folder = mkdtempSync(join(tmpdir(), 'pawl-place-'));
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** An environment whose temporary files are in a folder of the test. */
const inHome = (environment: Readonly<Record<string, string>> = {}) => ({ TMPDIR: home, ...environment });
const shared = () => join(home, `pawl-${process.getuid?.()}`);
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the place of a control socket', () => {
  it('is a folder of our own in the runtime folder, which nobody else can enter', () => {
    const { path } = findControlPlace(RUN, inHome({ XDG_RUNTIME_DIR: home }));
    expect(dirname(path)).toBe(join(home, 'pawl'));
    expect(modeOf(dirname(path))).toBe(0o700);
    expect(basename(path)).toMatch(new RegExp(`^[0-9a-f]{16}-${process.pid}\\.sock$`));
    expect(isSocketOf(RUN, path)).toBe(true);
  });

  it.each([{}, { XDG_RUNTIME_DIR: '' }, { XDG_RUNTIME_DIR: 'relative' }, { XDG_RUNTIME_DIR: '/gone' }])(
    'is a private folder for temporary files with %j',
    (environment) => {
      const { path } = findControlPlace(RUN, inHome(environment));
      expect(dirname(path)).toBe(shared());
      expect(modeOf(shared())).toBe(0o700);
      expect(dirname(findControlPlace(RUN, inHome(environment)).path)).toBe(shared());
    },
  );

  it('is not the runtime folder of somebody else', () => {
    // The root folder is not ours, unless we are root.
    const { path } = findControlPlace(RUN, inHome({ XDG_RUNTIME_DIR: process.getuid?.() === 0 ? '/gone' : '/' }));
    expect(dirname(path)).toBe(shared());
  });

  it.each([
    ['a folder that others can enter', () => (mkdirSync(shared()), chmodSync(shared(), 0o755))],
    ['a symbolic link', () => symlinkSync(mkdtempSync(join(folder, 'elsewhere-')), shared())],
    ['a file', () => writeFileSync(shared(), '')],
  ])('%s in its place is not used, and not changed', (_, plant) => {
    plant();
    const { path, release } = findControlPlace(RUN, inHome());
    expect(dirname(path)).not.toBe(shared());
    expect(dirname(dirname(path))).toBe(home);
    expect(modeOf(dirname(path))).toBe(0o700);
    release();
    expect([existsSync(dirname(path)), existsSync(shared())]).toEqual([false, true]);
  });

  it('a path that the system would cut off is passed over, and refused when there is no shorter one', () => {
    const long = join(home, 'x'.repeat(100));
    mkdirSync(long);
    expect(dirname(findControlPlace(RUN, inHome({ XDG_RUNTIME_DIR: long })).path)).toBe(shared());
    expect(() => findControlPlace(RUN, { TMPDIR: long })).toThrow(/more than the 10\d bytes/);
  });

  it('what a crash of the same run left is removed, what belongs to others is not', () => {
    const { path } = findControlPlace(RUN, inHome());
    const stale = path.replace(/-\d+\.sock$/, '-1.sock');
    const other = findControlPlace('loop_01ARZ3NDEKTSV4RRFFQ69G5FAW', inHome()).path;
    for (const each of [stale, other]) writeFileSync(each, '');
    findControlPlace(RUN, inHome());
    expect([existsSync(stale), existsSync(other)]).toEqual([false, true]);
  });

  it('what other runs left when they were killed is removed, too', async () => {
    const { path } = findControlPlace(RUN, inHome());
    const dead = path.replace(/[0-9a-f]{16}-\d+/, 'aaaaaaaaaaaaaaaa-1');
    const server = createServer().listen(`${dead}.made`);
    await once(server, 'listening');
    renameSync(`${dead}.made`, dead);
    utimesSync(dead, 1, 1);
    await new Promise((resolve) => server.close(resolve));
    findControlPlace(RUN, inHome());
    await expect.poll(() => existsSync(dead), { timeout: 60_000 }).toBe(false);
  });

  it('is found without a record, in folders of our own only', () => {
    const { path } = findControlPlace(RUN, inHome());
    expect(findSockets(RUN, inHome())).toEqual([]);
    writeFileSync(path, '');
    expect(findSockets(RUN, inHome({ XDG_RUNTIME_DIR: '/gone' }))).toEqual([path]);
    chmodSync(shared(), 0o755);
    expect(findSockets(RUN, inHome())).toEqual([]);
  });

  it('a path from a record is used only if it can be the socket of that run', () => {
    const { path } = findControlPlace(RUN, inHome());
    expect(isSocketOf('loop_01ARZ3NDEKTSV4RRFFQ69G5FAW', path)).toBe(false);
    expect(isSocketOf(RUN, '/var/run/docker.sock')).toBe(false);
    expect(isSocketOf(RUN, basename(path))).toBe(false);
    expect(isSocketOf(RUN, join('/', 'x'.repeat(100), basename(path)))).toBe(false);
  });
});
