import type { Issue } from '../model/errors.js';
import { policyEntries } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Origins } from './origin.js';
import { reviewClasses } from './review-classes.js';
import { reviewLimits } from './review-limits.js';
import { reviewReach } from './review-reach.js';

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
