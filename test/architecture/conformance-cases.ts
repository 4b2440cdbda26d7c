import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRITERIA, conformanceRows, disagreements, numbersIn, PAINS } from './conformance.js';
import { parseSource, ROOT } from './source-file.js';
import { testTitles, titlesOfTests } from './test-title.js';

const TABLE = join(ROOT, 'docs', 'conformance.md');

/** Registers the tests of this table: they share a file, so that the sources are parsed once. */
export function conformanceCases(): void {
  describe('conformance', () => {
    it.each([CRITERIA, PAINS])('every $noun has a row, and a test that runs unless it is not yet met', (list) => {
      const rows = existsSync(TABLE) ? conformanceRows(readFileSync(TABLE, 'utf8'), list) : [];
      const titles = titlesOfTests(({ text }) => numbersIn(text, list).length > 0);
      expect(disagreements(list, rows, titles)).toEqual([]);
    });

    it('every row is shown by test files, not by folders', () => {
      const text = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
      const rows = [CRITERIA, PAINS].flatMap((list) => conformanceRows(text, list));
      expect(rows.filter(({ shownBy, isNotYet }) => shownBy.length === 0 && !isNotYet)).toEqual([]);
    });

    it('every test file that the table names exists', () => {
      const named = existsSync(TABLE) ? readFileSync(TABLE, 'utf8').matchAll(/[\w./-]+\.test\.ts/g) : [];
      expect([...named].map(([path]) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    });
  });

  describe('the check itself notices', () => {
    const row = (number: number, isNotYet: boolean, ...shownBy: string[]) => ({ number, isNotYet, shownBy });
    const allRows = Array.from({ length: CRITERIA.count }, (_, index) => row(index + 1, index !== 0));
    const tested = (code: string) => testTitles(parseSource('test/a.test.ts', code));
    const oneTest = tested("it('[c1] works', () => {});");

    it('nothing wrong where nothing is', () => {
      expect(disagreements(CRITERIA, allRows, oneTest)).toEqual([]);
    });

    it('a missing row, a second row and a row too many', () => {
      expect(disagreements(CRITERIA, allRows.slice(0, -1), oneTest)).toEqual(['criterion 70 has no row']);
      expect(disagreements(CRITERIA, [...allRows, row(70, true)], oneTest)).toEqual(['criterion 70 has 2 rows']);
      expect(disagreements(CRITERIA, [...allRows, row(71, true)], oneTest)).toEqual(['there is no criterion 71']);
    });

    it.each([
      '',
      "it('works', () => {}); // [c1]",
      "it.skip('[c1] works', () => {});",
      "it.todo('[c1] works');",
      "it.skipIf(true)('[c1] works', () => {});",
      "it.skip.each([1])('[c1] works', () => {});",
      "describe.skip('a', () => { describe('b', () => { it('[c1] works', () => {}); }); });",
      "describe('[c1]', () => {});",
    ])('a criterion whose tests are: %s', (code) => {
      expect(disagreements(CRITERIA, allRows, tested(code))).toHaveLength(1);
    });

    it.each([
      "test('[c1] works', () => {});",
      "it.each([{ skip: 1 }])('[c1] %s', () => {});",
      "it.concurrent('works [c1]', () => {});",
      'it(`[c1] on ${machine}`, () => {});',
      "describe.each([1])('a', () => { it('[c1] works', () => {}); });",
      "it.skip('[c1] works', () => {}); it('[c1] works too', () => {});",
    ])('no fault in: %s', (code) => {
      expect(disagreements(CRITERIA, allRows, tested(code))).toEqual([]);
    });

    it('a test of a criterion that is not yet met, and of none', () => {
      expect(disagreements(CRITERIA, allRows, [...oneTest, ...tested("it('[c2] works', () => {});")])).toHaveLength(1);
      expect(disagreements(CRITERIA, allRows, [...oneTest, ...tested("it('[c71] works', () => {});")])).toHaveLength(1);
    });

    it('a row that names a file without a test of it that runs', () => {
      const rows = [row(1, false, 'test/a.test.ts', 'test/b.test.ts'), ...allRows.slice(1)];
      expect(disagreements(CRITERIA, rows, oneTest)).toEqual(['test/b.test.ts has no test of criterion 1 that runs']);
      const skipped = testTitles(parseSource('test/b.test.ts', "it.skip('[c1] works', () => {});"));
      expect(disagreements(CRITERIA, rows, [...oneTest, ...skipped])).toHaveLength(1);
    });

    it('one list from the other', () => {
      const pains = Array.from({ length: PAINS.count }, (_, index) => row(index + 1, index !== 0));
      expect(disagreements(PAINS, pains, oneTest)).toEqual(['pain 1 has no test: no title carries its number']);
      expect(disagreements(PAINS, pains, tested("it('[p1] [c71] works', () => {});"))).toEqual([]);
      expect(disagreements(PAINS, pains.slice(0, -1), tested("it('[p1] works', () => {});"))).toEqual([
        'pain 25 has no row',
      ]);
    });

    it('rows as they are written', () => {
      const table =
        '| nr | what |\n|---|---|\n| 1 | Types | `src/a.test.ts` | like `b.test.ts` |\n|12| Patterns | not yet (issue 3) | |\n| p3 | Ends | `c.test.ts`, `d/e.test.ts` | |\n';
      expect(conformanceRows(table, CRITERIA)).toEqual([row(1, false, 'src/a.test.ts'), row(12, true)]);
      expect(conformanceRows(table, PAINS)).toEqual([row(3, false, 'c.test.ts', 'd/e.test.ts')]);
    });
  });
}
