let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[ -~]*$/;
/** Takes two columns: East Asian wide characters, and everything that some terminal draws as an emoji. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{19fff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
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
  return WIDE.test(character) ? 2 : 1;
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
