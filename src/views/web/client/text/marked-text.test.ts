import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markedText } from './marked-text.js';

describe('a line of a diff', () => {
  it('hides nothing between the sequences of a terminal', () => {
    expect(markedText('safe\u001b]0;evil()\u0007 \u001b[2K\u009b8m')).toBe(
      'safe⟨ESC⟩]0;evil()⟨U+0007⟩ ⟨ESC⟩[2K⟨U+009B⟩8m',
    );
    expect(markedText('x\b\bhidden\rover')).toBe('x⟨U+0008⟩⟨U+0008⟩hidden⟨CR⟩over');
  });

  it('shows what is not seen, and piled marks one by one', () => {
    expect(markedText('a\u200bb\u202ec\u2028d')).toBe('a⟨U+200B⟩b⟨U+202E⟩c⟨U+2028⟩d');
    expect(markedText(`Z${'\u0336'.repeat(6)}`)).toBe(`Z${'\u0336'.repeat(4)}⟨U+0336⟩⟨U+0336⟩`);
  });

  it('keeps every character, as itself or by its name', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x27e7)), (codes) => {
        const line = String.fromCharCode(...codes);
        const back = markedText(line)
          .replaceAll('⟨CR⟩', '\r')
          .replaceAll('⟨ESC⟩', '\u001b')
          .replace(/⟨U\+([0-9A-F]+)⟩/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
        expect(back).toBe(line);
      }),
    );
  });
});
