import { describe, expect, it } from 'vitest';
import { changedParts } from './changed-parts.js';
import { tokensOf } from './highlight-line.js';
import { linePieces } from './line-pieces.js';

const textsOf = (text: string, ranges: readonly { readonly start: number; readonly end: number }[] = []) =>
  ranges.map(({ start, end }) => text.slice(start, end));

describe('what is different between two lines', () => {
  it('is marked word by word', () => {
    const [before, after] = ['const b = 2;', 'const b = 30;'];
    const [old, now] = changedParts(before, after);
    expect(textsOf(before, old)).toEqual(['2']);
    expect(textsOf(after, now)).toEqual(['30']);
  });

  it('is not marked in lines that have little in common, or are very long', () => {
    expect(changedParts('return total;', 'throw new Error(why)')).toEqual([undefined, undefined]);
    expect(changedParts('a '.repeat(2000), 'b '.repeat(2000))).toEqual([undefined, undefined]);
    expect(changedParts('', '')).toEqual([undefined, undefined]);
  });
});

describe('a line in pieces', () => {
  it('knows what is what in a known language, and nothing in another', () => {
    const text = 'const b = "two"; // why';
    const found = tokensOf('src/a.ts', text).map(({ type, start, end }) => [type, text.slice(start, end)]);
    expect(found).toContainEqual(['keyword', 'const']);
    expect(found).toContainEqual(['string', '"two"']);
    expect(found).toContainEqual(['comment', '// why']);
    expect(tokensOf('notes.txt', text)).toEqual([]);
    expect(tokensOf('src/a.ts', 'x'.repeat(501))).toEqual([]);
  });

  it.each(['const b = "<script>";', '<b onclick="x()">', '`${a}` // "', '\t', ''])(
    'loses no character of %s',
    (text) => {
      const pieces = linePieces(text, [{ start: 1, end: 4 }], tokensOf('a.tsx', text));
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    },
  );
});
