import { withoutEscapes } from './without-escapes.js';

/**
 * Text from outside, safe for a terminal: no escape sequences, control characters, invisible or direction-changing
 * characters. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return withoutEscapes(text).replace(UNPRINTABLE, '');
}

const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
