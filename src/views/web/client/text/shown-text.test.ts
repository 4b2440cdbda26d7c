import { describe, expect, it } from 'vitest';
import { shownText } from './shown-text.js';

describe('text from outside', () => {
  it('that turns the direction of a line shows where it does', () => {
    expect(shownText('user\u202e)drowssap\u202c')).toBe('user⟨U+202E⟩)drowssap⟨U+202C⟩');
    expect(shownText('\u2066a\u2069\u200f')).toBe('⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩');
  });

  it('has no escape sequences, control characters and unseen characters left', () => {
    expect(shownText('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007\u0000\u0008\u200b.')).toBe(
      'red link.',
    );
  });

  it('keeps its lines, its tabs and what looks like markup', () => {
    expect(shownText('a\r\nb\rc\td <b>&amp;</b>')).toBe('a\nb\nc\td <b>&amp;</b>');
  });
});
