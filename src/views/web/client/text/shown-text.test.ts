import { describe, expect, it } from 'vitest';
import { shownText } from './shown-text.js';

describe('text from outside', () => {
  it('that turns the direction of a line shows where it does', () => {
    expect(shownText('user\u202e)drowssap\u202c')).toBe('user⟨U+202E⟩)drowssap⟨U+202C⟩');
    expect(shownText('\u2066a\u2069\u200f')).toBe('⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩');
  });

  it('has no escape sequences and control characters left', () => {
    expect(shownText('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007\u0000\u0008.')).toBe(
      'red link.',
    );
  });

  it('names what nobody sees', () => {
    expect(shownText('a\u200bb\u00adc\ufeffd\u{e0041}')).toBe('a⟨U+200B⟩b⟨U+00AD⟩c⟨U+FEFF⟩d⟨U+E0041⟩');
    expect(shownText('a\u200db 1\ufe0f \ud800')).toBe('a⟨U+200D⟩b 1⟨U+FE0F⟩ ⟨U+D800⟩');
  });

  it.each(['👨‍👩‍👧', '👩🏽‍💻', '❤️‍🔥', '🏳️‍🌈', '1️⃣', '☎️', '🇫🇷'])('keeps %s whole', (emoji) => {
    expect(shownText(`a ${emoji} b`)).toBe(`a ${emoji} b`);
  });

  it('does not run over other lines with marks that are piled up', () => {
    expect(shownText(`Z${'\u0336'.repeat(30)}o`)).toBe(`Z${'\u0336'.repeat(4)}⟨26 more marks⟩o`);
    expect(shownText('Tiếng Việt שָׁלוֹם')).toBe('Tiếng Việt שָׁלוֹם');
  });

  it('keeps its lines, its tabs and what looks like markup', () => {
    expect(shownText('a\r\nb\rc\td <b>&amp;</b>')).toBe('a\nb\nc\td <b>&amp;</b>');
    expect(shownText('ä\r\nb\rc')).toBe('ä\nb\nc');
  });
});
