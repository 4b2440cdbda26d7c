import { CONDITION_CATALOG, limitOf } from '../model/condition-catalog.js';
import type { StopCondition } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import type { Issue } from '../model/errors.js';
import { canonicalJson } from '../model/json.js';
import { policyEntries, type PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Origins } from './layer.js';
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

/** Whether there is a goal and a limit, whether the goals are verified, whether each condition stands where it means what it says. */
function reviewClasses(spec: RunSpec, entries: readonly PolicyEntry[]): readonly Issue[] {
  const warnings = entries.flatMap((entry) => reviewEntry(spec, entry));
  if (!entries.some((entry) => entry.class === 'goal')) {
    const message =
      'no goal: the run can only give up, reach a limit or be stopped by you; set `tests`, or add a condition here';
    warnings.push({ path: 'stop.success', message });
  }
  if (!entries.some((entry) => entry.class === 'limit')) {
    const message =
      'no limit: the run can use any amount of time and money; add max_iterations, max_cost or max_duration';
    warnings.push({ path: 'stop.limits', message });
  }
  return warnings;
}

function reviewEntry(spec: RunSpec, { path, class: stopClass, condition }: PolicyEntry): Issue[] {
  const { class: own, neutral, goalOnly } = CONDITION_CATALOG[condition.type];
  if (stopClass === 'goal' && neutral !== true && own !== 'goal') {
    return [
      {
        path,
        message: `${condition.type} as a goal ends the run as a success that nothing verified; move it to ${own === 'limit' ? 'limits' : 'failure'}`,
      },
    ];
  }
  if (stopClass === 'goal' && isBelieved(condition, spec)) return [{ path, message: believedMessage(condition) }];
  if (stopClass !== 'goal' && goalOnly === true) {
    return [
      {
        path,
        message: `${condition.type} here ends the run as ${stopClass === 'limit' ? 'used up' : 'failed'}; move it to success`,
      },
    ];
  }
  if (stopClass !== 'goal' && condition.confirm !== undefined) {
    return [{ path: `${path}.confirm`, message: 'confirm has no effect here; only goals are confirmed' }];
  }
  return [];
}

/** The agent's word alone can meet it. */
function isBelieved(condition: StopCondition, spec: RunSpec, isNegated = false): boolean {
  const isInnerBelieved = (inner: StopCondition) => isBelieved(inner, spec, isNegated);
  switch (condition.type) {
    // One that does not hold is enough for the opposite of `all`.
    case 'all':
      return isNegated ? condition.conditions.some(isInnerBelieved) : condition.conditions.every(isInnerBelieved);
    case 'any':
      return isNegated ? condition.conditions.every(isInnerBelieved) : condition.conditions.some(isInnerBelieved);
    case 'for':
      return isInnerBelieved(condition.condition);
    case 'not':
      return isBelieved(condition.condition, spec, !isNegated);
    default: {
      const { evidence } = CONDITION_CATALOG[condition.type];
      return evidence === 'agent' || (evidence === 'tests' && spec.tests === undefined && spec.parseTests);
    }
  }
}

function believedMessage({ type }: StopCondition): string {
  const { evidence } = CONDITION_CATALOG[type];
  if (evidence === 'agent') {
    return 'this goal is not verified: only the agent says so; combine it with all_tests_pass or check_passes in `all`';
  }
  if (type === 'not') {
    return 'this goal is not verified: that the agent did not say something proves nothing; combine it with all_tests_pass or check_passes in `all`';
  }
  if (evidence === 'tests') {
    return 'this goal is not verified: test results are read from what the agent prints; set `tests` to run them';
  }
  return 'this goal is not verified: what the agent says can meet it; add all_tests_pass with `tests`, or check_passes';
}
