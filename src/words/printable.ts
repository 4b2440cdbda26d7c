import { eastAsianWidth } from 'get-east-asian-width';
import { UNSEEN_CHARACTERS } from '../model/unseen-characters.js';

/**
 * Text from outside, safe for a terminal: no escape sequences, control characters, invisible or direction-changing
 * characters. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return withoutEscapes(text).replace(UNPRINTABLE, '');
}

const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f${UNSEEN_CHARACTERS}]`, 'gv');

/** Text without the sequences that a terminal acts on, and without what is in those that carry a text. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCES, '');
}

/** OSC and other strings up to their terminator, CSI sequences, and two-character escapes. */
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

/** Whatever is drawn as nothing, as a blank that is none, or moves what stands around it. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** More blanks than anybody types could push the rest out of sight. */
const MANY_BLANKS = / {9,}/g;
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A command as someone is to judge it: every character of it is there to be seen, and what a terminal would not show, or
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

let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[ -~]*$/;
/** Some terminal draws it as an emoji, which takes two columns. */
const EMOJI = /[\u{1f000}-\u{1faff}\p{Emoji_Presentation}]/u;
/** Stands on the character before it. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\u{e0000}-\u{e0fff}]/u;
const EMOJI_STYLE = '\ufe0f';
/** More marks than any script puts on one character. */
const MOST_MARKS = 8;

/** The columns that a text takes. Where terminals disagree it is the most that one of them takes. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  let last = 0;
  for (const character of text) {
    last = character === EMOJI_STYLE ? (last === 1 ? 1 : 0) : widthOf(character);
    columns += last;
  }
  return columns;
}

function widthOf(character: string): number {
  if (WITHOUT_WIDTH.test(character)) return 0;
  if (EMOJI.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** The beginning of a text that takes at most so many columns, with an ellipsis where something is left out. */
export function fit(text: string, columns: number): string {
  if (ASCII.test(text) ? text.length <= columns : text.length <= columns * 2 && textWidth(text) <= columns) return text;
  let left = columns - 1;
  let kept = '';
  for (const each of charactersOf(text)) {
    const character = withFewMarks(each);
    const width = textWidth(character);
    if (width > left) return columns > 0 ? `${kept.trimEnd()}…` : '';
    left -= width;
    kept += character;
  }
  // It was long in marks only.
  return kept;
}

function withFewMarks(character: string): string {
  return character.length <= MOST_MARKS ? character : Array.from(character).slice(0, MOST_MARKS).join('');
}

/** Between two of these ends a character, whatever stands around them. */
const ALONE = '[ -~\\u00c0-\\u024f\\u0391-\\u0481\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff]';
const BETWEEN = new RegExp(`(?<=${ALONE})(?=${ALONE})`);

/** A text in the characters that people see. In short pieces: the segmenter takes ever longer for each in a long text. */
export function charactersOf(text: string): readonly string[] {
  if (ASCII.test(text)) return Array.from(text);
  return text.split(BETWEEN).flatMap((piece) => (piece.length === 1 ? piece : segmentsOf(piece)));
}

function segmentsOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Text from outside on one line of at most `width` columns, safe for a terminal. */
export function oneLine(text: string, width: number): string {
  // Far more than will be shown is not inspected.
  const looked = text.slice(0, width * 8 + 400);
  const line = printable(looked).replace(/\s+/g, ' ').trim();
  if (looked.length < text.length && textWidth(line) < width) return `${line}…`;
  return fit(line, width);
}

// oxlint-disable-next-line no-control-regex -- the one kind of control sequence that a line may have
const COLOUR = /(\u001b\[[0-9;]*m)/;

/** A coloured line as far as it fits. Whatever else in it is not text is left out, so that the cursor stays on its line. */
export function clipLine(line: string, columns: number): string {
  const parts = line.split(COLOUR).map((part, index) => (index % 2 === 1 ? part : plain(part)));
  const width = parts.reduce((sum, part, index) => (index % 2 === 1 ? sum : sum + textWidth(part)), 0);
  if (width <= columns) return parts.join('');
  let left = columns - 1;
  const clipped = parts.map((part, index) => {
    // Colours end where they would have ended.
    if (index % 2 === 1 || left < 0) return index % 2 === 1 ? part : '';
    let kept = '';
    for (const character of charactersOf(part)) {
      const own = textWidth(character);
      if (own > left) {
        left = -1;
        return columns > 0 ? `${kept}…` : '';
      }
      left -= own;
      kept += character;
    }
    return kept;
  });
  return clipped.join('');
}

/** A coloured line in as many as it takes: what scrolls away must not lose its end. */
export function breakLine(line: string, columns: number): readonly string[] {
  const lines = [''];
  let left = Math.max(1, columns);
  line.split(COLOUR).forEach((part, index) => {
    const characters = index % 2 === 1 ? [] : charactersOf(plain(part));
    if (index % 2 === 1) lines[lines.length - 1] += part;
    for (const character of characters) {
      const own = textWidth(character);
      if (own > left && left < columns) {
        lines.push('');
        left = columns;
      }
      lines[lines.length - 1] += character;
      left -= own;
    }
  });
  return lines;
}

function plain(text: string): string {
  return printable(text).replace(/\s/g, ' ');
}

/** The columns of a coloured line. */
export function lineWidth(line: string): number {
  return line.split(COLOUR).reduce((sum, part, index) => (index % 2 === 1 ? sum : sum + textWidth(part)), 0);
}

/** A word as it has to be typed in a shell. */
export function shellWord(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
