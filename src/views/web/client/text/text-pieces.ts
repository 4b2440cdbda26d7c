/** A browser that may break a word anywhere looks at all of it for every line: words of thousands make it stand still. */
const LONGEST_WORD = 400;
const PIECE = 200;

const LONG_WORDS = new RegExp(`(\\S{${LONGEST_WORD + 1},})`);

/** A text in the pieces between which a line may be broken; all but the longest words stay together. */
export function textPieces(text: string): readonly string[] {
  return text.split(LONG_WORDS).flatMap((part, index) => (index % 2 === 0 ? (part === '' ? [] : part) : cut(part)));
}

function cut(word: string): readonly string[] {
  const pieces: string[] = [];
  for (let begin = 0; begin < word.length; ) {
    const end = begin + PIECE;
    const whole = isLowSurrogate(word.charCodeAt(end)) ? end + 1 : end;
    pieces.push(word.slice(begin, whole));
    begin = whole;
  }
  return pieces;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
