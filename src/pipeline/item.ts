import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../model/json.js';

/** One thing to be made. */
export interface Item {
  readonly id: string;
  /** What is known of it, its id included. */
  readonly fields: Readonly<Record<string, Json>>;
  /** Where it was named, such as `frames.csv:12`. */
  readonly place: string;
}

/** A field as it is put into a text. */
export function fieldText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : canonicalJson(value);
}

/** One figure of the items and all their fields, in order. */
export function hashOfItems(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** An item as it is recorded and compared. */
export function itemLine({ fields }: Item): string {
  return canonicalJson(fields);
}
