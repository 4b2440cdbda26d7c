import { describe, expect, it } from 'vitest';
import { textPieces } from './text-pieces.js';

describe('the pieces of a text', () => {
  it('are short where a word of thousands would make the page stand still', () => {
    const pieces = textPieces(`before ${'A'.repeat(65_536)} after`);
    expect(pieces.join('')).toBe(`before ${'A'.repeat(65_536)} after`);
    expect([pieces[0], pieces.at(-1)]).toEqual(['before ', ' after']);
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(200);
  });

  it('are one for a text of words, however long it is', () => {
    const prose = 'some words and https://example.com/an/address '.repeat(2000);
    expect(textPieces(prose)).toEqual([prose]);
    expect(textPieces('')).toEqual([]);
  });

  it('do not end in the middle of a character', () => {
    const pieces = textPieces(`x${'😀'.repeat(500)}`);
    expect(pieces.join('')).toBe(`x${'😀'.repeat(500)}`);
    expect(pieces.every((piece) => /^x?(?:😀)*$/.test(piece))).toBe(true);
  });
});
