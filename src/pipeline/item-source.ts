import { field } from '../model/fields.js';
import { readValue } from '../model/read-value.js';
import { isRecord, showValue } from '../model/show-value.js';
import type { Issue } from '../model/errors.js';
import { parseDuration } from '../model/duration.js';
import { didYouMean } from '../model/nearest.js';
import { commandLengthProblem } from './command-length.js';

/** Where the items of a pipeline come from. */
export type ItemSource = { readonly id: string; readonly place: string } & (
  | { readonly kind: 'list'; readonly entries: readonly { readonly value: unknown; readonly place: string }[] }
  | { readonly kind: 'glob'; readonly pattern: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string; readonly timeoutMs: number }
);

const SOURCE_KEYS: Readonly<Record<'glob' | 'file' | 'command', readonly string[]>> = {
  glob: ['glob'],
  file: ['file', 'id'],
  command: ['command', 'id', 'timeout'],
};

/** Reads the `items` of a manifest; `locate` finds the place of a key path. */
export function readItemSource(
  items: object,
  issues: Issue[],
  locate: (path: string) => string,
): ItemSource | undefined {
  const place = locate('items');
  if (Array.isArray(items)) {
    const entries = items.map((value: unknown, index) => ({ value, place: locate(`items[${index}]`) }));
    return { kind: 'list', id: 'id', place, entries };
  }
  if (!isRecord(items)) return undefined;
  const kinds = (['glob', 'file', 'command'] as const).filter((key) => items[key] !== undefined);
  const [kind, ...more] = kinds;
  if (kind === undefined || more.length > 0) {
    issues.push({ path: 'items', message: 'must be a list of items, or have one of glob, file and command' });
    return undefined;
  }
  return sourceOf(kind, items, issues, place);
}

function sourceOf(
  kind: 'glob' | 'file' | 'command',
  items: Readonly<Record<string, unknown>>,
  issues: Issue[],
  place: string,
): ItemSource | undefined {
  const known = SOURCE_KEYS[kind];
  for (const key of Object.keys(items).filter((name) => !known.includes(name))) {
    const message = `unknown key${didYouMean(key, known) || `; with ${kind} there are ${known.join(', ')}`}`;
    issues.push({ path: `items.${key}`, message, unknownKey: true });
  }
  const { id = 'id', timeout = '1m' } = items;
  const value = items[kind];
  for (const [key, text] of Object.entries({ [kind]: value, id })) {
    if (readValue(field.path, text).faults.length === 0) continue;
    issues.push({ path: `items.${key}`, message: `must be a text that is not empty, not ${showValue(text)}` });
  }
  for (const { message } of readValue(field.duration, timeout).faults) issues.push({ path: 'items.timeout', message });
  const tooLong = kind === 'command' && typeof value === 'string' ? commandLengthProblem(value) : undefined;
  if (tooLong !== undefined) issues.push({ path: 'items.command', message: tooLong });
  if (issues.length > 0 || typeof value !== 'string' || typeof id !== 'string') return undefined;
  if (kind === 'glob') return { kind, id, place, pattern: value };
  if (kind === 'file') return { kind, id, place, path: value };
  return { kind, id, place, command: value, timeoutMs: parseDuration(String(timeout)) ?? 60_000 };
}
