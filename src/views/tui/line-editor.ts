import { printable, charactersOf, textWidth } from '../../words/printable.js';
import type { Key } from './keyboard.js';

const MOST_CHARACTERS = 2000;

/** A line that someone types, in two parts: before and behind the cursor. */
export interface EditedLine {
  readonly before: string;
  readonly behind: string;
}

export const EMPTY_LINE: EditedLine = { before: '', behind: '' };

/** As terminals paste the end of a line, and as texts have it. */
const LINE_ENDS = /[\r\n\v\f\u0085\u2028\u2029]+/g;

/** The line after a key. Control characters, as they come with pasted text, are left out; a line end is a blank. */
export function editLine(line: EditedLine, key: Key): EditedLine {
  const { before, behind } = line;
  if (key.text !== undefined) {
    // One that comes in two parts, as \r and \n, is still one.
    if (key.text.replace(LINE_ENDS, '') === '' && before.endsWith(' ')) return line;
    const text = printable(key.text.replace(LINE_ENDS, ' ')).replace(/\s/g, ' ');
    return before.length + behind.length + text.length > MOST_CHARACTERS ? line : { before: before + text, behind };
  }
  const [left, last] = splitAt(before, -1);
  const [first, right] = splitAt(behind, 1);
  switch (key.name) {
    case 'backspace':
      return { before: left, behind };
    case 'delete':
      return { before, behind: right };
    case 'left':
      return { before: left, behind: last + behind };
    case 'right':
      return { before: before + first, behind: right };
    case 'home':
      return { before: '', behind: before + behind };
    case 'end':
      return { before: before + behind, behind: '' };
    case 'erase-line':
      return { before: '', behind };
    case 'erase-word':
      return { before: before.replace(/\S*\s*$/, ''), behind };
    default:
      return line;
  }
}

function splitAt(text: string, at: number): readonly [string, string] {
  const characters = charactersOf(text);
  return [characters.slice(0, at).join(''), characters.slice(at).join('')];
}

/** As much of the line as fits, around the cursor, and the column of the cursor in it. */
export function visiblePart({ before, behind }: EditedLine, columns: number): { text: string; column: number } {
  const characters = [...charactersOf(before)];
  while (textWidth(characters.join('')) > columns - 1) characters.splice(0, Math.max(1, Math.floor(columns / 3)));
  const left = characters.join('');
  let text = left;
  for (const character of charactersOf(behind)) {
    if (textWidth(text) + textWidth(character) > columns) break;
    text += character;
  }
  return { text, column: textWidth(left) };
}
