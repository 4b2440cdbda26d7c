import { printable } from '../../../terminal/printable.js';

/** Characters that turn the direction of what stands around them. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text from outside as it is shown: no escape sequences, nothing unseen, and what would turn the direction of the text is
 * named in its place.
 */
export function shownText(text: string): string {
  const named = text.replace(/\r\n?/g, '\n').replace(TURNING, nameOf);
  return printable(named);
}

function nameOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
