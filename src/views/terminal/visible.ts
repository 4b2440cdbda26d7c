import { charactersOf, textWidth } from './text-width.js';

/** Whatever is drawn as nothing, as a blank that is none, or moves what stands around it. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** More blanks than anybody types could push the rest out of sight. */
const MANY_BLANKS = / {9,}/g;
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A command as somebody is to judge it: every character of it is there to be seen, and what a terminal would not show, or
 * would obey, as an escape. Where there is one, a backslash of the command's own is doubled.
 */
export function visible(text: string): string {
  return escaped(unambiguous(text));
}

/** The same on lines of at most so many columns. A command of several lines has them one below the other. */
export function visibleLines(text: string, width: number): readonly string[] {
  return unambiguous(text)
    .split(/(?<=\n)/)
    .flatMap((line) => chopped(escaped(line), Math.max(10, width)));
}

function unambiguous(text: string): string {
  return text.search(UNSEEN) === -1 ? text : text.replaceAll('\\', '\\\\');
}

function escaped(text: string): string {
  return text.replace(UNSEEN, escapeOf).replace(MANY_BLANKS, (blanks) => blanks.replaceAll(' ', '\\x20'));
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const named = NAMED[character];
  if (named !== undefined) return named;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Broken after a blank; inside a word only if it does not fit on a line of its own. */
function chopped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let columns = 0;
  for (const character of charactersOf(text)) {
    const own = textWidth(character);
    if (columns + own > width && line !== '') {
      const blank = line.lastIndexOf(' ') + 1;
      const end = blank > 0 ? blank : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end);
      columns = textWidth(line);
    }
    line += character;
    columns += own;
  }
  return [...lines, line];
}
