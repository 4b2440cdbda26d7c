import { headOf, tailOf } from '../model/cut-text.js';
import { jsonText } from './json-fields.js';

/** What a tool gets is only shown. */
export const INPUT_CHARACTERS = 2000;
/** Tests are read from the output of tools. The record keeps less of it. */
const OUTPUT_CHARACTERS = 200_000;

export function toolInput(input: unknown): string | undefined {
  if (input === undefined || input === null) return undefined;
  const text = typeof input === 'string' ? input : jsonText(input);
  return text.length > INPUT_CHARACTERS ? `${headOf(text, INPUT_CHARACTERS)}…` : text;
}

export function toolOutput(output: string | undefined): string | undefined {
  return output === undefined ? undefined : keepEnds(output, OUTPUT_CHARACTERS);
}

/** The beginning and the end of a long text: errors and totals are at the ends. */
export function keepEnds(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const half = Math.floor(mostCharacters / 2);
  const head = wholeCharacters(headOf(text, half));
  const tail = wholeCharacters(tailOf(text, half));
  const omitted = text.length - head.length - tail.length;
  return `${head}\n[... ${omitted} characters left out ...]\n${tail}`;
}

/** A cut may split a pair of surrogates. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
