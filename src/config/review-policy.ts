import type { Issue } from '../model/errors.js';
import { policyEntries, type PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Origins } from './origin.js';
import { reviewClasses } from './review-classes.js';
import { reviewReach } from './review-reach.js';
import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, limitOf } from '../model/condition-catalog.js';
import { parseDuration } from '../model/duration.js';
import { canonicalJson } from '../model/json.js';

/** Something that is allowed and probably not meant: where it stands, and what to do. */
export type Warning = Issue;

export interface ReviewOptions {
  /** Milliseconds since 1970; without it nothing is said about deadlines. */
  readonly now?: number | undefined;
  /** From the loader: defaults are then not held against the user, and warnings name the place. */
  readonly origins?: Origins | undefined;
}

/**
 * What can be said of a policy without running it: goals that are only believed, conditions that can never be met,
 * bounds that are missing. It does not know what the agent reports (usage, prices), what a glob matches or what a
 * script does; those show at the start of a run.
 */
export function reviewPolicy(spec: RunSpec, options: ReviewOptions = {}): readonly Warning[] {
  const entries = policyEntries(spec.policy);
  const warnings = [...reviewClasses(spec, entries), ...reviewReach(spec, entries, options), ...reviewLimits(entries)];
  return warnings.map((warning) => withPlace(warning, options.origins));
}

/** The warning with the place where the setting was written. */
export function withPlace(warning: Warning, origins: Origins = {}): Warning {
  const entry = /^stop\.\w+\[\d+\]/.exec(warning.path)?.[0] ?? warning.path;
  const origin = Object.hasOwn(origins, entry) ? origins[entry] : undefined;
  return origin?.place === undefined || origin.source === 'default' ? warning : { ...warning, place: origin.place };
}

/** Limits that another one makes pointless. */
function reviewLimits(entries: readonly PolicyEntry[]): readonly Issue[] {
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
