import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { earlierHome } from './earlier-home.js';

let base: string;
let home: string;
let folder: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-home-')));
  home = join(base, 'home');
  folder = join(base, 'other');
  mkdirSync(home);
  mkdirSync(folder);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text = 'x'): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** What is there from before, and a moment later what was made since. */
async function seen(
  before: readonly string[],
  since: readonly (string | readonly [string, string])[],
  variables: Readonly<Record<string, string>> = {},
) {
  for (const path of before) write(path);
  // The clock of a file system is slower: what is made next must be later.
  const startedAtMs = Date.now() + 30;
  while (Date.now() <= startedAtMs + 30) await pause(10);
  for (const file of since) {
    const [path, text] = typeof file === 'string' ? [file] : file;
    write(path, text);
  }
  const environment = { HOME: home, ...variables };
  return earlierHome({ environment, folder, startedAtMs, without: [join(home, 'project')] });
}

const isThere = (path: string) => existsSync(join(folder, path));

describe('the home folder of the start', () => {
  it('has no file that was made since, and everything else', async () => {
    const before = ['.profile', '.config/git/config', '.config/calc/old', 'project/a.js'];
    expect(await seen(before, ['.calc.json', '.config/calc/known.json', '.cache/sums/1-2', 'project/b.js'])).toEqual({
      HOME: folder,
    });
    for (const path of [...before, 'project/b.js']) expect(isThere(path)).toBe(true);
    for (const path of ['.calc.json', '.config/calc/known.json', '.cache/sums/1-2']) expect(isThere(path)).toBe(false);
    writeFileSync(join(folder, '.config/git/config'), 'written');
    expect(readFileSync(join(home, '.config/git/config'), 'utf8')).toBe('written');
  });

  it('is the same where nothing was made', async () => {
    expect(await seen(['.calc.json'], [])).toEqual({});
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps what tools download and install', async () => {
    const many = Array.from({ length: 30 }, (_, at) => `.cache/models/${at}.json`);
    const large = [['.cache/browser/data', 'x'.repeat(100_000)] as const, '.cache/browser/version'];
    const installed = ['.cargo/registry/index', '.local/lib/python3.12/site-packages/six.py', 'go/pkg/mod/a.go'];
    expect(await seen([], [...many, ...large, ...installed])).toEqual({});
  });

  it('is where the variables of the desktop lead to', async () => {
    expect(
      await seen(['config/a'], ['config/calc/b', 'config/calc/c'], { XDG_CONFIG_HOME: join(home, 'config') }),
    ).toEqual({
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
    });
    expect(isThere('config/a')).toBe(true);
    expect(isThere('config/calc/b')).toBe(false);
  });

  it('is not known without a home folder', async () => {
    expect(await earlierHome({ environment: {}, folder, startedAtMs: 0, without: [] })).toEqual({});
    expect(await earlierHome({ environment: { HOME: '/' }, folder, startedAtMs: 0, without: [] })).toEqual({});
    expect(await earlierHome({ environment: { HOME: '/nowhere' }, folder, startedAtMs: 0, without: [] })).toEqual({});
  });
});
