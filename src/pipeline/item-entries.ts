import { isRecord, showValue } from '../model/field-rules.js';
import type { Json } from '../model/json.js';
import { readCsv } from './read-csv.js';

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
      return lineEntries(text, (line) => JSON.parse(line) as unknown);
    case 'txt':
      return lineEntries(text, (line) => line);
    case 'csv':
      return rowEntries(text, ',');
    case 'tsv':
      return rowEntries(text, '\t');
    case 'json': {
      const value: unknown = JSON.parse(text);
      if (!Array.isArray(value)) throw new Error('it is not a list');
      return value.map((entry: unknown, index) => ({ value: entry, at: `[${index}]` }));
    }
    default:
      return kind satisfies never;
  }
}

/** What a command lists: a line is an item as JSON, or an id. */
export function lineEntries(text: string, read: (line: string) => unknown = jsonOrText): readonly ItemEntry[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [{ value: read(line), at: `:${index + 1}` }];
    } catch {
      throw new Error(`line ${index + 1}: is not JSON`);
    }
  });
}

function jsonOrText(line: string): unknown {
  return line.startsWith('{') ? (JSON.parse(line) as unknown) : line;
}

function rowEntries(text: string, separator: ',' | '\t'): readonly ItemEntry[] {
  const [header, ...rows] = readCsv(text, separator);
  if (header === undefined) return [];
  const names = header.cells.map((name) => name.trim());
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
    const found = id === undefined ? '' : `, not ${showValue(id)}`;
    return { problem: `an item needs ${idKey === 'id' ? 'an id' : `"${idKey}" as its id`}: a text${found}` };
  }
  const text = String(id);
  if (text.trim() === '') return { problem: 'the id of an item must not be empty' };
  if (text.includes('\0')) return { problem: 'the id of an item must not hold a NUL' };
  return { id: text, fields: { ...fields, id: text } };
}
