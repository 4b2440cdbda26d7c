import { UNSEEN_CHARACTERS } from '../../model/unseen-characters.js';

/**
 * Text from outside, safe for a terminal: no escape sequences, control characters, invisible or direction-changing
 * characters. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return withoutEscapes(text).replace(UNPRINTABLE, '');
}

const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f${UNSEEN_CHARACTERS}]`, 'gv');

/** Text without the sequences that a terminal acts on, and without what stands in those that carry a text. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCES, '');
}

/** OSC and other strings up to their terminator, CSI sequences, and two-character escapes. */
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
