import { UNSEEN_CHARACTERS } from '../../model/unseen-characters.js';
import { withoutEscapes } from './without-escapes.js';

/**
 * Text from outside, safe for a terminal: no escape sequences, control characters, invisible or direction-changing
 * characters. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return withoutEscapes(text).replace(UNPRINTABLE, '');
}

const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f${UNSEEN_CHARACTERS}]`, 'gv');
