import { cutPiledMarks } from './piled-marks.js';
import { nameOf, nameUnseen } from './unseen-characters.js';

const PLAIN = /^[\t\u0020-\u007e]*$/;

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

const NAMES: Readonly<Record<string, string>> = { '\r': '⟨CR⟩', '\u001b': '⟨ESC⟩' };

/** A line of a file as someone reads it who has to know what is in it: nothing is left out, all of it can be seen. */
export function markedText(line: string): string {
  if (PLAIN.test(line)) return line;
  const named = line.replace(CONTROLS, (character) => NAMES[character] ?? nameOf(character));
  return cutPiledMarks(nameUnseen(named), (marks) => Array.from(marks, nameOf).join(''));
}
