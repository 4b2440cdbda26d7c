import { messageOf } from '../../model/errors.js';
import { clip, isRecord, showValue } from '../../model/show-value.js';
import type { Json } from '../../model/json.js';
import { MOST_ITEMS, TOO_MANY_ITEMS } from '../item-limits.js';
import { readCsv } from './read-csv.js';
import { readStrictJson } from '../../config/strict-json.js';

/** One item as a source names it: a text that is its id, or its fields. */
export interface ItemEntry {
  readonly value: unknown;
  /** Such as `:12` for a line of a file. */
  readonly at: string;
}

export const ITEM_FILE_KINDS = ['jsonl', 'ndjson', 'csv', 'tsv', 'json', 'txt'] as const;

export type ItemFileKind = (typeof ITEM_FILE_KINDS)[number];

/** The entries of a file of items. Throws with the line of what is wrong. */
export function entriesOf(kind: ItemFileKind, text: string): readonly ItemEntry[] {
  switch (kind) {
    case 'jsonl':
    case 'ndjson':
      return lineEntries(linesOf(text), strictJson);
    case 'txt':
      return lineEntries(linesOf(text), (line) => line);
    case 'csv':
      return rowEntries(text, ',');
    case 'tsv':
      return rowEntries(text, '\t');
    case 'json': {
      const value: unknown = strictJson(text);
      if (!Array.isArray(value)) throw new Error('it is not a list');
      return value.map((entry: unknown, index) => ({ value: entry, at: `[${index}]` }));
    }
    default:
      return kind satisfies never;
  }
}

/** What a command lists: a line is an item as JSON, or an id. */
export function lineEntries(
  lines: Iterable<string>,
  read: (line: string) => unknown = jsonOrText,
): readonly ItemEntry[] {
  const entries: ItemEntry[] = [];
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    if (entries.length === MOST_ITEMS) throw new Error(TOO_MANY_ITEMS);
    try {
      entries.push({ value: read(line), at: `:${number}` });
    } catch (error) {
      throw new Error(`line ${number}: ${error instanceof SyntaxError ? 'is not JSON' : messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return entries;
}

/** One after the other: all at once are gigabytes for a large file. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline;
    yield text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end);
    from = end + 1;
  }
}

function jsonOrText(line: string): unknown {
  return line.startsWith('{') ? strictJson(line) : line;
}

function rowEntries(text: string, separator: ',' | '\t'): readonly ItemEntry[] {
  const [header, ...rows] = readCsv(text, separator, MOST_ITEMS + 1);
  if (header === undefined) return [];
  const names = header.cells.map((name) => name.trim());
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`line ${header.line}: the header has ${clip(JSON.stringify(twice))} twice`);
  }
  return rows.map(({ line, cells }) => {
    if (cells.length > names.length) {
      throw new Error(`line ${line}: has ${cells.length} cells, the header has ${names.length}`);
    }
    const fields = names.map((name, index) => [name, cells[index] ?? '']);
    return { value: Object.fromEntries(fields) as unknown, at: `:${line}` };
  });
}

/** The fields of an entry with its id under `id`, or why it has none. */
export function fieldsOf(
  value: unknown,
  idKey: string,
): { readonly id: string; readonly fields: Readonly<Record<string, Json>> } | { readonly problem: string } {
  const fields = isRecord(value) ? (value as Record<string, Json>) : { [idKey]: value as Json };
  const id = Object.hasOwn(fields, idKey) ? fields[idKey] : undefined;
  if (typeof id !== 'string' && typeof id !== 'number') {
    const found = id === undefined ? `; it has ${clip(Object.keys(fields).join(', '))}` : `, not ${showValue(id)}`;
    return { problem: `an item needs ${idKey === 'id' ? 'an id' : `"${idKey}" as its id`}: a text${found}` };
  }
  const text = String(id);
  if (text.trim() === '') return { problem: 'the id of an item must not be empty' };
  for (const [key, field] of Object.entries(fields)) {
    const problem = fieldProblem(key, field);
    if (problem !== undefined) return { problem };
  }
  return { id: text, fields: { ...fields, id: text } };
}

/** Why the value of a field could not reach a command as it was written; undefined when it can. */
function fieldProblem(key: string, value: unknown): string | undefined {
  const name = clip(JSON.stringify(key));
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `${name} is ${value}, which is not a usable number; put quotes around it`;
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
    return isExact ? undefined : `${name} has more digits than a number keeps; put quotes around it`;
  }
  if (typeof value === 'string') {
    if (value.includes('\0')) return `${name} contains a NUL`;
    return /\p{Surrogate}/u.test(value) ? `${name} contains half of a character` : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.values(value)) {
    const problem = fieldProblem(key, inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function strictJson(text: string): unknown {
  const read = readStrictJson(text);
  if ('value' in read) return read.value;
  throw new Error(read.problem.message);
}
