import { describe, expect, it } from 'vitest';
import { count, list, percent, plural, quote, usd, usdLeft, headOf, tailOf } from './figures.js';
import fc from 'fast-check';

describe('figures in sentences', () => {
  it.each([
    [0, '$0.00'],
    [0.0042, '$0.0042'],
    [0.00001, '$0.000010'],
    [0.05, '$0.05'],
    [0.123456, '$0.12'],
    [0.5, '$0.50'],
    [0.99999, '$0.99'],
    [0.0042, '$0.0042'],
    [1, '$1.00'],
    [4.999, '$4.99'],
    [0.1 + 0.2, '$0.30'],
    [1234.5, '$1234.50'],
  ])('%d dollars are %s', (value, text) => expect(usd(value)).toBe(text));

  it('what is left makes up the limit with what is shown of the sum', () => {
    expect([usd(258.467), usdLeft(500 - 258.467)]).toEqual(['$258.46', '$241.54']);
    expect([usd(0.0045), usdLeft(10 - 0.0045, 10)]).toEqual(['$0.0045', '$9.9955']);
    expect([usdLeft(0), usdLeft(0.5), usdLeft(0.12341), usdLeft(3)]).toEqual(['$0.00', '$0.50', '$0.13', '$3.00']);
  });

  it('group digits and agree with their noun', () => {
    expect([count(999), count(1000), count(1_234_567)]).toEqual(['999', '1,000', '1,234,567']);
    expect([plural(1, 'test'), plural(0, 'test'), plural(1000, 'test')]).toEqual(['1 test', '0 tests', '1,000 tests']);
    expect([percent(0.375), percent(1), percent(1 / 3)]).toEqual(['37.5%', '100%', '33.3%']);
  });

  it('keep quoted text on one short line', () => {
    expect(quote('  a\n b\t')).toBe('"a b"');
    expect(quote('x'.repeat(100), 10)).toBe(`"${'x'.repeat(9)}…"`);
    expect(quote('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
    expect(list(['a', 'b', 'c'])).toBe('a, b, c');
    expect(list(['a', 'b', 'c', 'd'])).toBe('a, b, c and 1 more');
  });
});

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
