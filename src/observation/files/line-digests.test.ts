import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRewriting, lineDigests } from './line-digests.js';

const digests = (...change: Parameters<typeof patchOf>) => lineDigests(patchOf(...change));

/** What git prints for a change of one file, and of nothing else. */
function patchOf(path: string, before: string | undefined, after: string | undefined): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-lines-'));
  try {
    const sides = [before, after].map((text, index) => {
      const file = join(folder, index === 0 ? 'a' : 'b', path);
      mkdirSync(dirname(file), { recursive: true });
      if (text !== undefined) writeFileSync(file, text);
      return join(index === 0 ? 'a' : 'b', path);
    });
    const [from = '', to = ''] = sides.map((side, index) =>
      [before, after][index] === undefined ? '/dev/null' : side,
    );
    const args = ['diff', '--no-index', '--no-prefix', '-U0', '--no-color', from, to];
    return differing(() => execFileSync('git', args, { cwd: folder }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `git diff --no-index` exits with 1 when there is a difference. */
function differing(run: () => Buffer): Buffer {
  try {
    return run();
  } catch (error) {
    return (error as { stdout: Buffer }).stdout;
  }
}

describe('the digests of changed lines', () => {
  it.each([
    ['white space', 'src/a.ts', 'if (a) {\n  b();\n}\n', 'if (a) {\n\tb();\n}\n\n'],
    ['a date', 'src/a.ts', "const at = '2026-01-01T10:00:00Z';\n", "const at = '2026-01-02T11:30:00Z';\n"],
    ['a counter in a text', 'status.txt', 'checked 3 times\n', 'checked 4 times\n'],
    ['a counter in a file without an extension', 'VISITS', 'visit 3\n', 'visit 4\n'],
    ['a number of pages', 'docs/manual.adoc', 'This manual has 12 pages.\n', 'This manual has 13 pages.\n'],
    ['a line that moved', 'src/a.ts', 'a();\nb();\n', 'b();\na();\n'],
    ['only brackets', 'src/a.ts', 'a();\n', 'a();\n}\n'],
    ['another date in a table', 'data/seen.csv', 'a,2026-03-01\n', 'a,2026-03-02\n'],
    ['a lock file', 'package-lock.json', '{}\n', '{"a":"b"}\n'],
    ['a log', 'logs/run.txt', 'started\n', 'started\nstopped\n'],
    ['a logbook', 'docs/logbook.txt', 'one\n', 'one\nanother day\n'],
    ['a status in JSON', 'status.json', '{"runs": 3}\n', '{"runs": 4}\n'],
    ['notes', 'NOTES.md', 'one\n', 'one\nanother thought\n'],
  ])('are none for %s', (_, path, before, after) => {
    expect(digests(path, before, after)).toEqual([]);
  });

  it.each([
    ['new code', 'src/a.ts', 'a();\n', 'a();\nb();\n'],
    ['another number in settings', 'nginx.conf', 'worker_connections 512;\n', 'worker_connections 1024;\n'],
    ['another number in assembly', 'src/boot.asm', 'mov ax, 3\n', 'mov ax, 4\n'],
    ['another number in code', 'src/a.ts', 'const limit = 3;\n', 'const limit = 4;\n'],
    ['another number in a shader', 'toon.frag', 'vec2 k = vec2(0.9, 0.4);\n', 'vec2 k = vec2(0.7, 0.4);\n'],
    ['another number in a language that no list has', 'bracket.scad', 'gap = 0.10;\n', 'gap = 0.14;\n'],
    ['another version of an image', 'Dockerfile', 'FROM node:20\n', 'FROM node:22\n'],
    ['another version of a package', 'requirements-dev.txt', 'rich==13.1\n', 'rich==13.2\n'],
    ['a new file', 'src/new.py', undefined, 'print(1)\n'],
    ['a new file with a number', 'data/5.txt', undefined, '5\n'],
    ['a row of numbers', 'data/rows.csv', '1,2\n', '1,2\n3,4\n'],
    ['another number in a table', 'data/prices.csv', 'first,100.00\n', 'first,103.50\n'],
    ['another number in a table with tabs', 'data/prices.tsv', 'first\t1\n', 'first\t2\n'],
    ['an empty new file', 'migrated/one', undefined, ''],
    ['a deleted file', 'src/old.py', 'print(1)\n', undefined],
    ['a deleted line', 'src/a.ts', 'a();\nb();\n', 'a();\n'],
    ['a page of the documents', 'docs/guide.md', '# Guide\n', '# Guide\n\nA new paragraph.\n'],
    ['a new test', 'test/a.test.ts', undefined, "it('adds', add);\n"],
  ])('are there for %s', (_, path, before, after) => {
    expect(digests(path, before, after).length).toBeGreaterThan(0);
  });

  it('are the same for the same change, and others for the way back', () => {
    const there = digests('src/style.txt', 'tabs\n', 'spaces\n');
    expect(digests('src/style.txt', 'tabs\n', 'spaces\n')).toEqual(there);
    expect(digests('src/style.txt', 'spaces\n', 'tabs\n')).not.toEqual(there);
  });

  it('are the same for a copy under another name, but not for another empty or binary file', () => {
    expect(digests('src/b.ts', undefined, 'a();\n')).toEqual(digests('src/c.ts', undefined, 'a();\n'));
    expect(digests('one', undefined, '')).not.toEqual(digests('two', undefined, ''));
    expect(digests('a.png', undefined, '\0a')).not.toEqual(digests('b.png', undefined, '\0a'));
    expect(digests('src/b.ts', 'a();\n', undefined)).not.toEqual(digests('src/c.ts', 'a();\n', undefined));
  });

  it('of a large change are few, and always the same', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `call_${index}();`).join('\n');
    const all = digests('src/a.ts', '', lines);
    expect(all).toHaveLength(32);
    expect(digests('src/a.ts', '', lines)).toEqual(all);
  });

  it('of a binary file follow its content', () => {
    const one = digests('logo.png', '\0a', '\0b');
    expect(one).toHaveLength(1);
    expect(digests('logo.png', '\0a', '\0c')).not.toEqual(one);
  });
});

describe('a change that only replaces lines of the run itself', () => {
  const rewrites = (start: string, before: string, after: string | undefined, path = 'src/a.ts') =>
    isRewriting(patchOf(path, before, after), async () => patchOf(path, start, before));

  it.each([
    ['a line', 'old\n', 'one\n', 'two\n'],
    ['a line that was added', 'old\n', 'old\none\n', 'old\ntwo\n'],
    ['two lines by one', '', 'one\ntwo\n', 'three\n'],
    ['a paragraph by one in more lines that says less', '', 'a long sentence\n', 'short\none\n'],
  ])('is seen: %s', async (_, start, before, after) => {
    expect(await rewrites(start, before, after)).toBe(true);
  });

  it.each([
    ['a line of the start', 'one\n', 'one\n', 'two\n'],
    ['a line of the start beside one of its own', 'old\nkept\n', 'old\none\n', 'new\ntwo\n'],
    ['another line', '', 'one\n', 'one\ntwo\n'],
    ['a longer text', '', 'one\n', 'two\nand another\n'],
    ['a longer list', '', "['a', 'b']\n", "['a', 'b', 'c']\n"],
    ['a line that is only deleted', '', 'one\ntwo\n', 'one\n'],
    ['a deleted file', '', 'one\n', undefined],
    ['white space', '', 'one\n', '  one\n'],
    ['a binary file', '', '\0a', '\0b'],
  ])('is not: %s', async (_, start, before, after) => {
    expect(await rewrites(start, before, after)).toBe(false);
  });

  it('is none in notes, and does not depend on them', async () => {
    expect(await rewrites('', 'one\n', 'two\n', 'NOTES.md')).toBe(false);
    const since = patchOf('src/a.ts', '', 'one\n');
    const withNotes = Buffer.concat([patchOf('src/a.ts', 'one\n', 'two\n'), patchOf('NOTES.md', '', 'more\n')]);
    expect(await isRewriting(withNotes, async () => since)).toBe(true);
  });

  it('asks for what the run has written only where something was replaced', async () => {
    const never = () => Promise.reject(new Error('asked'));
    expect(await isRewriting(patchOf('src/a.ts', '', 'one\n'), never)).toBe(false);
  });
});
