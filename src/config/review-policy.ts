import { CONDITION_CATALOG, limitOf, needsOf } from '../model/condition-catalog.js';
import type { StopCondition } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import type { Issue } from '../model/errors.js';
import { kindOf } from '../model/fields.js';
import { canonicalJson } from '../model/json.js';
import { policyEntries, type PolicyEntry, lowestLimit } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Origins } from './layer.js';
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { clip } from '../model/show-value.js';
import { UNCOUNTED_REMEDY } from '../model/test-results.js';
import { visitConditions } from './condition-place.js';

/** Something that is allowed and probably not meant: where it stands, and what to do. */
export type Warning = Issue;

export interface ReviewOptions {
  /** Milliseconds since 1970; without it nothing is said about deadlines. */
  readonly now?: number | undefined;
  /** From the loader: defaults are then not held against the user, and warnings name the place. */
  readonly origins?: Origins | undefined;
}

/**
 * What can be said of a policy without running it: goals that are only trusted, conditions that can never be met,
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
  // The user's own one holds next to a lower one of this run.
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
  const kind = short === undefined ? undefined : kindOf(fields[short]);
  if (short === undefined || kind === undefined) return undefined;
  const { [short]: value, class: _class, ...rest } = condition as unknown as Record<string, unknown>;
  const amount =
    kind === 'duration' ? parseDuration(String(value)) : kind === 'time' ? Date.parse(String(value)) : value;
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
        message: `${condition.type} as a goal ends the run as a success without any verification; move it to ${own === 'limit' ? 'limits' : 'failure'}`,
      },
    ];
  }
  if (stopClass === 'goal' && isUnverified(condition, spec)) return [{ path, message: unverifiedMessage(condition) }];
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
function isUnverified(condition: StopCondition, spec: RunSpec, isNegated = false): boolean {
  const isInnerUnverified = (inner: StopCondition) => isUnverified(inner, spec, isNegated);
  switch (condition.type) {
    // One that does not hold is enough for the opposite of `all`.
    case 'all':
      return isNegated ? condition.conditions.some(isInnerUnverified) : condition.conditions.every(isInnerUnverified);
    case 'any':
      return isNegated ? condition.conditions.every(isInnerUnverified) : condition.conditions.some(isInnerUnverified);
    case 'for':
      return isInnerUnverified(condition.condition);
    case 'not':
      return isUnverified(condition.condition, spec, !isNegated);
    default: {
      const { evidence } = CONDITION_CATALOG[condition.type];
      return evidence === 'agent' || (evidence === 'tests' && spec.tests === undefined && spec.parseTests);
    }
  }
}

function unverifiedMessage({ type }: StopCondition): string {
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

/** Conditions that can never be met in this run, or are not what was meant. */
function reviewReach(spec: RunSpec, entries: readonly PolicyEntry[], { now, origins }: ReachOptions): readonly Issue[] {
  const warnings: Issue[] = [];
  const most = lowestLimit(
    entries.map(({ condition }) => condition),
    'iterations',
  );
  const planned = {
    continuesSession: spec.session.mode === 'continue',
    contextRedlinePercent: spec.contextRedlinePercent,
    now,
  };
  for (const { path, condition } of entries) {
    if (isNever(condition)) warnings.push({ path, message: 'this can never be met; remove it' });
    const isDefault = origins?.[path]?.source === 'default';
    visitConditions(condition, path, (inner, at) => {
      const own = CONDITION_CATALOG[inner.type].warn?.(inner, { ...planned, isOutermost: inner === condition });
      const message = own?.message ?? unrecorded(inner, spec) ?? (isDefault ? undefined : outOfReach(inner, most));
      if (message !== undefined) warnings.push({ path: own?.field === undefined ? at : `${at}.${own.field}`, message });
    });
  }
  const { atLeast } = spec.policy;
  if (atLeast !== undefined && most !== undefined && atLeast > most) {
    const message = `goals count only after ${atLeast} iterations, and max_iterations ends the run after ${most}; lower the first or raise the second`;
    warnings.push({ path: 'stop.at_least', message });
  }
  return warnings;
}

interface ReachOptions {
  readonly now?: number | undefined;
  readonly origins?: Origins | undefined;
}

function isNever(condition: StopCondition): boolean {
  switch (condition.type) {
    case 'never':
      return true;
    case 'all':
      return condition.conditions.some(isNever);
    case 'any':
      return condition.conditions.every(isNever);
    case 'for':
      return isNever(condition.condition);
    default:
      return false;
  }
}

/** Why what a condition needs is never recorded in this run. */
function unrecorded(condition: StopCondition, spec: RunSpec): string | undefined {
  const never = `${condition.type} can never be met:`;
  const { files, tests, probe } = needsOf(condition);
  if (files === true && !spec.trackFileChanges) return `${never} track_file_changes is false; set it to true`;
  if (tests === 'all' && spec.tests === undefined && !spec.parseTests)
    return `${never} no \`tests\` are configured and parse_tests is false; set \`tests\``;
  const isGoal = CONDITION_CATALOG[condition.type].evidence === 'tests';
  if (isGoal && tests === 'all' && spec.parseTests && isNoRunner(spec.tests))
    return `${never} no test can be counted in ${JSON.stringify(clip(spec.tests?.command ?? ''))}; ${UNCOUNTED_REMEDY}`;
  if (tests !== undefined && tests !== 'all' && !spec.parseTests)
    return `${never} parse_tests is false, so no test has a name; set it to true`;
  if ((probe?.kind !== 'file' && probe?.kind !== 'checklist') || isInside(probe.path, spec.workingDir))
    return undefined;
  return `${never} ${JSON.stringify(clip(probe.path))} is outside the working directory; name a file in it`;
}

/** Programs that run no tests, whatever their arguments. A command of nothing else prints nothing that could be counted. */
const NO_RUNNER =
  /^(?:true|false|:|test|\[|grep|diff|cmp|ls|tsc|vue-tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|black|(?:npx|pnpm exec|yarn) (?:--?[\w-]+ )*(?:tsc|vue-tsc|eslint|oxlint|biome|prettier)|cargo (?:build|check|clippy|fmt)|go (?:build|vet)|dotnet build)(?:\s|$)/;

function isNoRunner(tests: RunSpec['tests']): boolean {
  return tests !== undefined && tests.report === undefined && runsNoTests(tests.command);
}

export function runsNoTests(command: string): boolean {
  return command.split(/&&|\|\||;|\n/).every((part) => NO_RUNNER.test(part.trim()));
}

/** As the probe sees it: by name, and by what the working directory is a link to. */
function isInside(path: string, workingDir: string): boolean {
  return [resolve(workingDir), realPathOf(workingDir)].some((folder) => {
    const inner = relative(folder, resolve(workingDir, path));
    return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
  });
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function outOfReach(condition: StopCondition, most: number | undefined): string | undefined {
  const needed = CONDITION_CATALOG[condition.type].iterationsNeeded?.(condition);
  if (most === undefined || needed === undefined || needed <= most) return undefined;
  return `${condition.type} needs ${needed} iterations, and max_iterations ends the run after ${most}; lower the first or raise the second`;
}
