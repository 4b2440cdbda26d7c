import { DEEPEST_NESTING, duplicateKey, type SourceProblem, TOO_DEEP } from './config-file.js';

/** JSON of any size in which no key is written twice, of which one value would be lost. */
export function readStrictJson(text: string): { readonly value: unknown } | { readonly problem: SourceProblem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: syntaxProblem(text) };
  }
  const problem = scan(text);
  return problem === undefined ? { value } : { problem };
}

/** Where a text stops being the beginning of JSON. `JSON.parse` does not always say so. */
function syntaxProblem(text: string): SourceProblem {
  if (!isWrongBefore(text, text.length))
    return { offset: text.length, message: 'is not valid JSON: it ends too early' };
  let right = 0;
  let wrong = text.length;
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isWrongBefore(text, middle)) wrong = middle;
    else right = middle;
  }
  const character = JSON.stringify(text[right]);
  return { offset: right, message: `is not valid JSON: unexpected ${character}` };
}

/** Whether no continuation would make JSON of the beginning of a text. */
function isWrongBefore(text: string, end: number): boolean {
  try {
    JSON.parse(text.slice(0, end));
    return false;
  } catch (error) {
    const { message } = error as Error;
    const position = / at position (\d+)/.exec(message)?.[1];
    return position === undefined ? message.startsWith('Unexpected token') : Number(position) < end;
  }
}

/** What `JSON.parse` lets through in a text. */
function scan(text: string): SourceProblem | undefined {
  const mark = /["{}[\]]/g;
  const open: (Set<string> | undefined)[] = [];
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found;
    const offset = found.index;
    if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      mark.lastIndex = endOfText(text, offset);
      const twice = isKey(text, mark.lastIndex)
        ? duplicateOf(open.at(-1), text.slice(offset, mark.lastIndex))
        : undefined;
      if (twice !== undefined) return { offset, message: twice };
    } else {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > DEEPEST_NESTING) return { offset, message: TOO_DEEP };
    }
  }
  return undefined;
}

function duplicateOf(seen: Set<string> | undefined, key: string): string | undefined {
  return seen === undefined ? undefined : duplicateKey(seen, JSON.parse(key) as string);
}

function endOfText(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

const COLON = /\s*:/y;

function isKey(text: string, at: number): boolean {
  COLON.lastIndex = at;
  return COLON.test(text);
}
