import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './source-file.js';
import { type TestTitle, titlesOfTests } from './test-title.js';

const PATH = join(ROOT, 'SECURITY.md');

interface NamedTest {
  readonly path: string;
  readonly title: string;
}

/** Rows are `| attack | what happens | `path` "title", … |`. */
function rowsOf(text: string): readonly (readonly NamedTest[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| attack '));
  return rows.map((row) =>
    [...row.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)].map(([, path = '', title = '']) => ({ path, title })),
  );
}

/** What is named and not there, or is there and does not run. */
function missing(named: readonly NamedTest[], titles: readonly TestTitle[]): readonly string[] {
  return named
    .filter(({ path, title }) => !titles.some((test) => test.path === path && test.title.includes(title)))
    .map(({ path, title }) => `${path} has no test "${title}"`);
}

/** Registers the tests of this table: they share a file, so that the sources are parsed once. */
export function securityCases(): void {
  describe('the threat model', () => {
    const rows = existsSync(PATH) ? rowsOf(readFileSync(PATH, 'utf8')) : [];

    it('names a test for every attack, and every one of them exists', () => {
      expect(rows.length).toBeGreaterThan(30);
      expect(rows.filter((row) => row.length === 0)).toEqual([]);
      const named = new Set(rows.flat().map(({ path }) => path));
      expect(
        missing(
          rows.flat(),
          titlesOfTests(({ path }) => named.has(path)),
        ),
      ).toEqual([]);
    });

    it('the check itself notices a title that is gone, and a row without a test', () => {
      const titles: readonly TestTitle[] = [{ path: 'test/a.test.ts', title: 'holds', isSkipped: false }];
      expect(missing(rowsOf('| x | y | `test/a.test.ts` "holds" |').flat(), titles)).toEqual([]);
      expect(missing(rowsOf('| x | y | `test/a.test.ts` "breaks" |').flat(), titles)).toHaveLength(1);
      expect(rowsOf('| x | y | no test |')).toEqual([[]]);
    });
  });
}
