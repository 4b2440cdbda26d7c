/** A longer word than this is not a usable key: it may be cut anywhere. */
const WORD_CHARACTERS = 512;
const OF_WORD = /[\w.+/=~:-]/;

/** The beginning of a text. It ends before a word that would not fit: half a key would look like any other word. */
export function headOf(text: string, most: number): string {
  return text.slice(0, most >= text.length ? most : boundary(text, most, -1));
}

/** The end of a text, likewise. */
export function tailOf(text: string, most: number): string {
  const at = text.length - most;
  return at <= 0 ? text : text.slice(boundary(text, at, 1));
}

/** The end of the word at the place, in the direction; the place itself when the word is too long for a key. */
function boundary(text: string, at: number, step: 1 | -1): number {
  const [start, end] = [edgeOf(text, at, -1), edgeOf(text, at, 1)];
  if (end - start > WORD_CHARACTERS) return at;
  return step === 1 ? end : start;
}

function edgeOf(text: string, at: number, step: 1 | -1): number {
  let place = at;
  while (Math.abs(place - at) <= WORD_CHARACTERS && isWithin(text, place)) place += step;
  return place;
}

/** Whether the place is in the middle of a word. */
function isWithin(text: string, place: number): boolean {
  return OF_WORD.test(text[place - 1] ?? '') && OF_WORD.test(text[place] ?? '');
}
