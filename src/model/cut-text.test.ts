import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headOf, tailOf } from './cut-text.js';

const KEY = 'sk-ant-api03-Zq8_Xw-3.7~a/b+c=';

describe('a text that is cut', () => {
  it('holds a key whole or not at all, wherever the cut falls', () => {
    const text = `the key is "${KEY}", keep it`;
    for (let most = 0; most <= text.length; most++) {
      for (const part of [headOf(text, most), tailOf(text, most)]) {
        expect(part.length).toBeLessThanOrEqual(most);
        for (let length = 6; length < KEY.length; length++) {
          const isThere = part.includes(KEY.slice(0, length)) || part.includes(KEY.slice(-length));
          expect(isThere && !part.includes(KEY)).toBe(false);
        }
      }
    }
  });

  it('is cut in the middle of a word that is too long for a key', () => {
    const blob = 'A'.repeat(5000);
    expect(headOf(blob, 2000)).toHaveLength(2000);
    expect(tailOf(blob, 2000)).toHaveLength(2000);
  });

  it('is the text when there is room, and never longer than that', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
        expect(text.startsWith(headOf(text, most)) && text.endsWith(tailOf(text, most))).toBe(true);
        expect(Math.max(headOf(text, most).length, tailOf(text, most).length)).toBeLessThanOrEqual(most);
        if (text.length <= most) expect([headOf(text, most), tailOf(text, most)]).toEqual([text, text]);
      }),
    );
  });
});
