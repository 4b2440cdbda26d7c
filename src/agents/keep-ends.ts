import { headOf, tailOf } from '../model/cut-text.js';

/** A long text as its beginning and its end, with a word of what is missing: errors and totals stand at the ends. */
export function keepEnds(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const half = Math.floor(mostCharacters / 2);
  const head = wholeCharacters(headOf(text, half));
  const tail = wholeCharacters(tailOf(text, half));
  const omitted = text.length - head.length - tail.length;
  return `${head}\n[... ${omitted} characters left out ...]\n${tail}`;
}

/** A cut may split a pair of surrogates; half of one is no character. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
