import { duplicateKey } from '../config/source-node.js';

/** JSON of any size in which no key is written twice, of which one value would be lost. Throws. */
export function strictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const twice = duplicateIn(text);
  if (twice !== undefined) throw new Error(twice);
  return value;
}

/** Of a text that is JSON. */
function duplicateIn(text: string): string | undefined {
  const mark = /["{}]/g;
  const open: Set<string>[] = [];
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found;
    if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    else {
      const end = endOfText(text, found.index);
      mark.lastIndex = end;
      const twice = isKey(text, end) ? duplicateOf(open.at(-1), text.slice(found.index, end)) : undefined;
      if (twice !== undefined) return twice;
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
