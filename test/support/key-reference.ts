import * as z from 'zod/mini';
import type * as core from 'zod/v4/core';
import { fallbackOf, given, keysOf, listOf, shortOf, valuesOf } from '../../src/config/shape.js';
import { allowedBy } from '../../src/model/read-value.js';

/** One row of a table of keys: its path, what it takes, its default, what it is for. */
type Row = readonly [path: string, takes: string, fallback: string, description: string];

/** Each key of a mapping with those inside of it, as tables in markdown: one for the top, one for each key with more. */
export function keyReference(schema: core.$ZodType): string {
  const keys = Object.entries(keysOf(schema) ?? {});
  const sections = keys.flatMap(([name, key]) => {
    const rows = rowsInside(name, key);
    return rows.length === 0 ? [] : [`## ${name}\n\n${tableOf(rows)}`];
  });
  return [tableOf(keys.map(([name, key]) => rowOf(name, key, `[more](#${name})`))), ...sections].join('\n');
}

function rowsInside(path: string, key: core.$ZodType): readonly Row[] {
  const values = valuesOf(key);
  if (values !== undefined) return rowsInside(`${path}.NAME`, values);
  return Object.entries(keysOf(key) ?? {}).flatMap(([name, inner]) => {
    const at = `${path}.${name}`;
    return [rowOf(at, inner, 'a mapping'), ...rowsInside(at, inner)];
  });
}

function rowOf(path: string, key: core.$ZodType, more: string): Row {
  const fallback = fallbackOf(key);
  const isRequired = key._zod.def.type === 'nonoptional';
  return [
    `\`${path}\``,
    takesOf(key, more),
    isRequired ? 'required' : fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``,
    z.globalRegistry.get(key)?.description ?? '',
  ];
}

function takesOf(key: core.$ZodType, more: string): string {
  const short = shortOf(key);
  const values = valuesOf(key);
  if (listOf(key) !== undefined) return 'a list of [conditions](conditions.md)';
  if (values !== undefined) return `by name: ${takesOf(values, more)}`;
  if (short !== undefined) return `${takesOf(keysOf(key)?.[short] ?? key, more)}; or ${more}`;
  if (keysOf(key) !== undefined) return more;
  return allowedBy(given(key) as z.ZodMiniType);
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return `| key | takes | default | |\n|---|---|---|---|\n${lines.join('\n')}\n`;
}
