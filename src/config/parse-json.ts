import {
  DEEPEST_NESTING,
  duplicateKey,
  MOST_VALUES,
  type SourceEntry,
  type SourceNode,
  type SourceProblem,
  type SourceResult,
  TOO_DEEP,
  TOO_MANY,
} from './config-file.js';

class JsonProblem extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

interface Cursor {
  readonly text: string;
  readonly duplicates: SourceProblem[];
  at: number;
  values: number;
}

/** Reads strict JSON with the place of every value, which `JSON.parse` does not tell. */
export function parseJson(text: string): SourceResult {
  const cursor: Cursor = { text, duplicates: [], at: 0, values: 0 };
  try {
    skipSpace(cursor);
    if (cursor.at === text.length) return { root: undefined };
    const root = readNode(cursor, 1);
    skipSpace(cursor);
    if (cursor.at < text.length) throw unexpected(cursor, 'the end of the file');
    return cursor.duplicates.length > 0 ? { problems: cursor.duplicates } : { root };
  } catch (error) {
    if (error instanceof JsonProblem) return { problems: [{ offset: error.offset, message: error.message }] };
    throw error;
  }
}

function readNode(cursor: Cursor, depth: number): SourceNode {
  skipSpace(cursor);
  const offset = cursor.at;
  cursor.values += 1;
  if (depth > DEEPEST_NESTING) throw new JsonProblem(offset, TOO_DEEP);
  if (cursor.values > MOST_VALUES) throw new JsonProblem(offset, TOO_MANY);
  switch (cursor.text[offset]) {
    case '{':
      return { kind: 'mapping', offset, entries: readEntries(cursor, depth) };
    case '[':
      return { kind: 'list', offset, items: readMembers(cursor, ']', () => readNode(cursor, depth + 1)) };
    case '"':
      return { kind: 'scalar', offset, value: readText(cursor) };
    default:
      return { kind: 'scalar', offset, value: readWord(cursor) };
  }
}

function readEntries(cursor: Cursor, depth: number): SourceEntry[] {
  const seen = new Set<string>();
  return readMembers(cursor, '}', () => {
    skipSpace(cursor);
    const keyOffset = cursor.at;
    if (cursor.text[keyOffset] !== '"') throw unexpected(cursor, 'a key in double quotes');
    const key = readText(cursor);
    const twice = duplicateKey(seen, key);
    if (twice !== undefined && cursor.duplicates.length < 10)
      cursor.duplicates.push({ offset: keyOffset, message: twice });
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== ':') throw unexpected(cursor, '":" after the key');
    cursor.at += 1;
    return { key, keyOffset, value: readNode(cursor, depth + 1) };
  });
}

function readMembers<T>(cursor: Cursor, close: ']' | '}', readOne: () => T): T[] {
  const members: T[] = [];
  cursor.at += 1;
  skipSpace(cursor);
  if (cursor.text[cursor.at] === close) {
    cursor.at += 1;
    return members;
  }
  for (;;) {
    members.push(readOne());
    skipSpace(cursor);
    const next = cursor.text[cursor.at];
    if (next !== ',' && next !== close) throw unexpected(cursor, `"," or "${close}"`);
    cursor.at += 1;
    if (next === close) return members;
  }
}

function readText(cursor: Cursor): string {
  const start = cursor.at;
  let end = start + 1;
  while (end < cursor.text.length && cursor.text[end] !== '"') end += cursor.text[end] === '\\' ? 2 : 1;
  cursor.at = end + 1;
  if (end >= cursor.text.length) throw new JsonProblem(start, 'is not valid JSON: this text has no closing quote');
  try {
    return JSON.parse(cursor.text.slice(start, end + 1)) as string;
  } catch {
    throw new JsonProblem(start, 'is not valid JSON: this text holds a bad escape or a control character');
  }
}

const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function readWord(cursor: Cursor): number | boolean | null {
  WORD.lastIndex = cursor.at;
  const word = WORD.exec(cursor.text)?.[0];
  if (word === undefined) throw unexpected(cursor, 'a value');
  cursor.at += word.length;
  return JSON.parse(word) as number | boolean | null;
}

function skipSpace(cursor: Cursor): void {
  while (' \t\n\r'.includes(cursor.text[cursor.at] ?? '-')) cursor.at += 1;
}

function unexpected(cursor: Cursor, wanted: string): JsonProblem {
  const found = cursor.text[cursor.at];
  return new JsonProblem(
    cursor.at,
    `is not valid JSON: expected ${wanted}, found ${found === undefined ? 'the end of the file' : JSON.stringify(found)}`,
  );
}
