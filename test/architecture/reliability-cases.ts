import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_COUNT, reliabilityRows, wrongRows } from './reliability.js';
import { parseSource, ROOT } from './source-file.js';
import { testTitles, titlesOfTests } from './test-title.js';

/** Registers the tests of this table: they share a file, so that the sources are parsed once. */
export function reliabilityCases(): void {
  describe('the table of faults', () => {
    it('has a row for each, and names tests that are there', () => {
      const rows = reliabilityRows(readFileSync(join(ROOT, 'docs', 'reliability.md'), 'utf8'));
      const named = new Set(rows.flatMap(({ shownBy }) => shownBy.map(({ path }) => path)));
      expect(
        wrongRows(
          rows,
          titlesOfTests(({ path }) => named.has(path)),
        ),
      ).toEqual([]);
    });
  });

  describe('the check itself notices', () => {
    const titles = testTitles(parseSource('test/a.test.ts', "it('survives a kill', () => {});"));
    const table = (first: string) =>
      [
        first,
        ...Array.from({ length: FAULT_COUNT - 1 }, (_, index) => `| ${index + 2} | x | not covered | | | |`),
      ].join('\n');
    const wrong = (first: string) => wrongRows(reliabilityRows(table(first)), titles);

    it('nothing wrong where nothing is', () => {
      expect(wrong('| 1 | kill | "survives a kill" in `test/a.test.ts` | 1 | 2 | holds |')).toEqual([]);
    });

    it.each([
      ['| 1 | kill | "survives a fall" in `test/a.test.ts` | | | |', 'no test of test/a.test.ts is called'],
      ['| 1 | kill | "survives a kill" in `test/b.test.ts` | | | |', 'no test of test/b.test.ts is called'],
      ['| 1 | kill | somewhere | | | |', 'fault 1 names no test'],
      ['| 28 | kill | not covered | | | |', 'there is no fault 28'],
      ['| 2 | kill | not covered | | | |', 'fault 2 has 2 rows'],
    ])('%s', (first, complaint) => {
      expect(wrong(first).join('\n')).toContain(complaint);
    });
  });
}
