import { type Fault, pathInside, readValue } from '../../model/read-value.js';
import { isRecord } from '../../model/show-value.js';
import type { Issue } from '../../model/errors.js';
import { parseDuration } from '../../model/duration.js';
import { didYouMean } from '../../model/nearest.js';
import { commandLengthProblem } from './command-length.js';
import { ITEM_SOURCES } from './manifest-shape.js';

/** Where the items of a pipeline come from. */
export type ItemSource = { readonly id: string; readonly place: string } & (
  | { readonly kind: 'list'; readonly entries: readonly { readonly value: unknown; readonly place: string }[] }
  | { readonly kind: 'glob'; readonly pattern: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string; readonly timeoutMs: number }
);

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
  const [kind, ...more] = KINDS.filter((key) => items[key] !== undefined);
  if (kind === undefined || more.length > 0) {
    issues.push({ path: 'items', message: 'must be a list of items, or have one of glob, file and command' });
    return undefined;
  }
  const { value, faults } = readValue<SourceValues>(ITEM_SOURCES[kind], items);
  issues.push(...faults.map((fault) => issueOf(fault, kind)));
  const { [kind]: from = '', id = 'id', timeout = '1m' } = value ?? {};
  const tooLong = kind === 'command' ? commandLengthProblem(from) : undefined;
  if (tooLong !== undefined) issues.push({ path: 'items.command', message: tooLong });
  if (issues.length > 0) return undefined;
  if (kind === 'glob') return { kind, id, place, pattern: from };
  if (kind === 'file') return { kind, id, place, path: from };
  return { kind, id, place, command: from, timeoutMs: parseDuration(timeout) ?? 60_000 };
}

const KINDS = ['glob', 'file', 'command'] as const;

type SourceValues = Partial<Record<(typeof KINDS)[number] | 'id' | 'timeout', string | undefined>>;

function issueOf({ kind, path: steps, message, known }: Fault, source: string): Issue {
  const path = pathInside('items', steps);
  if (kind !== 'unknown-key') return { path, message };
  const hint = didYouMean(String(steps[0]), known) || `; with ${source} there are ${known.join(', ')}`;
  return { path, message: `unknown key${hint}`, unknownKey: true };
}
