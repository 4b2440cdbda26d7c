import { headOf } from '../model/cut-text.js';
import { jsonText } from './json-fields.js';
import { keepEnds } from './keep-ends.js';

/** What a tool is asked to do is only shown. */
const INPUT_CHARACTERS = 2000;
/** Tests are read off what a tool printed; the record keeps less of it. */
const OUTPUT_CHARACTERS = 200_000;

export function toolInput(input: unknown): string | undefined {
  if (input === undefined || input === null) return undefined;
  const text = typeof input === 'string' ? input : jsonText(input);
  return text.length > INPUT_CHARACTERS ? `${headOf(text, INPUT_CHARACTERS)}…` : text;
}

export function toolOutput(output: string | undefined): string | undefined {
  return output === undefined ? undefined : keepEnds(output, OUTPUT_CHARACTERS);
}
