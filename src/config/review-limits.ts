import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, limitOf } from '../model/condition-catalog.js';
import { parseDuration } from '../model/duration.js';
import type { Issue } from '../model/errors.js';
import { canonicalJson } from '../model/json.js';
import type { PolicyEntry } from '../model/policy.js';

/** Limits that another one makes pointless. */
export function reviewLimits(entries: readonly PolicyEntry[]): readonly Issue[] {
  return entries.flatMap((entry) => shadowed(entry, entries));
}

function shadowed(entry: PolicyEntry, entries: readonly PolicyEntry[]): readonly Issue[] {
  const own = threshold(entry.condition);
  // The user's own one holds beside a lower one of this run.
  if (own === undefined || limitOf(entry.condition)?.quantity === 'dayCostUsd') return [];
  const index = entries.indexOf(entry);
  const lower = entries.find((other, position) => {
    const value = other === entry || other.class !== entry.class ? undefined : threshold(other.condition);
    if (value === undefined || value.kind !== own.kind) return false;
    return value.amount < own.amount || (value.amount === own.amount && position < index);
  });
  if (lower === undefined) return [];
  const message = `${entry.condition.type} is never the first to be met: ${lower.path} is as low or lower; remove one of them`;
  return [{ path: entry.path, message }];
}

/** What a condition with one amount waits for; two are comparable when everything but the amount is the same. */
function threshold(condition: StopCondition): { readonly kind: string; readonly amount: number } | undefined {
  const { short, fields } = CONDITION_CATALOG[condition.type];
  const field = short === undefined ? undefined : fields[short];
  if (short === undefined || field === undefined) return undefined;
  const { [short]: value, class: _class, ...rest } = condition as unknown as Record<string, unknown>;
  const amount =
    field.kind === 'duration'
      ? parseDuration(String(value))
      : field.kind === 'time'
        ? Date.parse(String(value))
        : value;
  return typeof amount === 'number' ? { kind: canonicalJson(rest), amount } : undefined;
}
