import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from './read-csv.js';

const cells = (text: string) => readCsv(text, ',').map((row) => row.cells);

describe('a CSV text', () => {
  it('holds quoted separators, quotes and line ends, and tells the line of each row', () => {
    const rows = readCsv('\ufeffid,text\r\n1,"a, ""b""\nc"\r\n\r\n2,\n', ',');
    expect(rows).toEqual([
      { line: 1, cells: ['id', 'text'] },
      { line: 2, cells: ['1', 'a, "b"\nc'] },
      { line: 5, cells: ['2', ''] },
    ]);
  });

  it('may end without a line end, or hold nothing', () => {
    expect(cells('a,b\n1,2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect(cells('')).toEqual([]);
    expect(cells('\n\n')).toEqual([]);
  });

  it.each([
    ['a\n"b', 'line 2: a quote is not closed'],
    ['a\n"b"c', 'line 2: there is more after a closing quote'],
  ])('%j is refused with its line', (text, message) => {
    expect(() => readCsv(text, ',')).toThrow(message);
  });

  it('whatever was written comes back', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\n', '\r', 'ü', '\t') });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, (rows) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join('\n');
        expect(cells(text)).toEqual(rows);
      }),
    );
  });
});
