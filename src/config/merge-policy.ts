import { CONDITION_CATALOG, needsOf } from '../model/condition-catalog.js';
import { leavesOf, type StopCondition, type ConditionType } from '../model/condition.js';
import type { Issue } from '../model/errors.js';
import { deepFreeze } from '../model/json.js';
import type { Needs } from '../model/judging/needs.js';
import { boundsIterations, type Policy, policyEntries, policyLeaves } from '../model/policy.js';
import type { ConfigValues, StopValues } from './config-shape.js';
import {
  DEFAULT_FAILURE,
  DEFAULT_GOAL,
  DEFAULT_LIMIT,
  REVIEW_ALONE,
  REVIEW_BLOCKED,
  REVIEW_STUCK,
  REVIEWED_GOAL,
} from './default-policy.js';
import type { Layer, Origin } from './layer.js';
import type { ListEntry } from './shape.js';

const REVIEW_USED = 'a review is configured';
const REVIEW_GIVEN = 'a review is configured and no goal is written';
const TESTS_GIVEN = 'tests are configured and no goal is written';

export interface MergedPolicy {
  readonly policy: Policy;
  readonly written: readonly WrittenCondition[];
}

/** The policy that all layers together make, with the defaults of the classes that no one wrote. */
export function mergePolicy(
  layers: readonly Layer[],
  options: { readonly hasTests: boolean; readonly review?: ConfigValues['review'] },
  origins: Map<string, Origin>,
  issues: Issue[],
): MergedPolicy {
  const draft = layers.reduce((before, layer) => applyLayer(before, layer, issues), EMPTY_DRAFT);
  const failure = failuresOf(draft);
  const limits = limitsOf(draft);
  const conditions = draft.conditions ?? [];
  const success = goalsOf(draft, options);
  const lists = { success, failure, limits, conditions };
  for (const [list, entries] of Object.entries(lists)) {
    for (const [index, { origin }] of entries.entries()) origins.set(`stop.${list}[${index}]`, origin);
  }
  if (draft.iterations === 'none') noteRemoval(layers, origins);
  const policy: Policy = {
    success: plain(success),
    failure: plain(failure),
    limits: plain(limits),
    ...(conditions.length === 0 ? {} : { conditions: plain(conditions) }),
    ...switchesOf(layers, origins),
  };
  const reviewed = options.review === undefined ? policy : withReview(policy, options.review);
  for (const index of reviewed.failure.keys()) {
    if (index >= failure.length) origins.set(`stop.failure[${index}]`, { source: 'default', place: REVIEW_USED });
  }
  return { policy: deepFreeze(reviewed), written: [...success, ...failure, ...limits, ...conditions] };
}

function goalsOf(
  draft: PolicyDraft,
  { hasTests, review }: { readonly hasTests: boolean; readonly review?: ConfigValues['review'] },
): readonly WrittenCondition[] {
  const listed = [...(draft.success ?? []), ...draft.scripts];
  const neutral: Policy = {
    success: [],
    failure: [],
    limits: [],
    conditions: plain(draft.conditions ?? []),
  };
  const isWritten =
    draft.success !== undefined ||
    listed.length > 0 ||
    draft.goals.some(isAboutAllTests) ||
    policyEntries(neutral).some((entry) => entry.class === 'goal');
  const byReview = review?.when === 'goal';
  const own = byReview ? REVIEWED_GOAL : DEFAULT_GOAL;
  if (!isWritten && hasTests) return [byDefault(own, TESTS_GIVEN), ...draft.goals];
  const isNothing = !isWritten && draft.goals.length === 0;
  return isNothing && byReview ? [byDefault(REVIEW_ALONE, REVIEW_GIVEN)] : [...listed, ...draft.goals];
}

/** Next to a goal that says more about the tests, the default would be met first and make it pointless. */
function isAboutAllTests({ condition }: WrittenCondition): boolean {
  return leavesOf(condition).some(
    (leaf) => CONDITION_CATALOG[leaf.type].goalOnly === true && needsOf(leaf).tests === 'all',
  );
}

function failuresOf(draft: PolicyDraft): readonly WrittenCondition[] {
  const base = draft.failure ?? DEFAULT_FAILURE.map((condition) => byDefault(condition));
  const streaks = Object.entries(draft.streaks);
  const others = base.flatMap((entry) => {
    const streak = streaks.find(([type]) => type === entry.condition.type)?.[1];
    return streak === undefined ? [entry] : streak === 'remove' ? [] : [streak];
  });
  const added = streaks.flatMap(([type, streak]) =>
    streak === 'remove' || base.some(({ condition }) => condition.type === type) ? [] : [streak],
  );
  return [...others, ...added, ...draft.patterns, ...draft.failures];
}

/** Written limits keep their places; what is added comes after them. */
function limitsOf(draft: PolicyDraft): readonly WrittenCondition[] {
  const listed = draft.limits ?? [];
  const { iterations } = draft;
  if (iterations === 'none') return [...listed, ...draft.extraLimits];
  const apart = (iterations ?? []).filter((entry) => !listed.includes(entry));
  const limits = [...listed, ...apart, ...draft.extraLimits];
  const all = [...limits, ...(draft.conditions ?? [])];
  return all.some(({ condition }) => boundsIterations(condition)) ? limits : [...limits, byDefault(DEFAULT_LIMIT)];
}

/** A limit that was removed has no place in a list: who removed it is kept under its own key. */
function noteRemoval(layers: readonly Layer[], origins: Map<string, Origin>): void {
  const layer = layers.findLast(({ values }) => values.max_iterations !== undefined || values.stop !== undefined);
  const path = layer?.values.max_iterations === undefined ? 'stop.limits' : DEFAULT_LIMIT.type;
  if (layer !== undefined) origins.set(DEFAULT_LIMIT.type, layer.originOf(path));
}

/** The switches of the policy, each from the strongest layer that has it. */
function switchesOf(
  layers: readonly Layer[],
  origins: Map<string, Origin>,
): Pick<Policy, 'confirm' | 'atLeast' | 'stopOnFirst'> {
  const last = <K extends 'confirm' | 'at_least' | 'stop_on_first'>(key: K) => {
    const layer = layers.findLast(({ values }) => values.stop?.[key] !== undefined);
    if (layer !== undefined) origins.set(`stop.${key}`, layer.originOf(`stop.${key}`));
    return layer?.values.stop?.[key];
  };
  const confirm = last('confirm');
  const atLeast = last('at_least');
  const stopOnFirst = last('stop_on_first');
  return {
    ...(confirm === undefined ? {} : { confirm }),
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(stopOnFirst === undefined ? {} : { stopOnFirst }),
  };
}

function plain(entries: readonly WrittenCondition[]): readonly StopCondition[] {
  return entries.map(({ condition }) => condition);
}

function byDefault(condition: StopCondition, why?: string): WrittenCondition {
  const origin: Origin = { source: 'default', ...(why === undefined ? {} : { place: why }) };
  return { condition, origin, path: '', locate: (issue) => issue };
}

/**
 * With a review a goal counts only when it agrees, and what else it says ends the run. Who writes such a condition says where
 * it counts: then nothing is added.
 */
function withReview(policy: Policy, { when, every }: NonNullable<ConfigValues['review']>): Policy {
  const goals = when === 'goal' && !mentions(policy, 'agreement') ? withAgreement(policy) : policy;
  if (mentions(goals, 'opinion')) return goals;
  const isOnlyOfGoals = when === 'goal' && every === undefined;
  return { ...goals, failure: [...goals.failure, REVIEW_BLOCKED, ...(isOnlyOfGoals ? [] : [REVIEW_STUCK])] };
}

function mentions(policy: Policy, review: Needs['review']): boolean {
  return policyLeaves(policy).some((leaf) => needsOf(leaf).review === review);
}

function withAgreement(policy: Policy): Policy {
  const goals = new Set(policyEntries(policy).flatMap((entry) => (entry.class === 'goal' ? [entry.condition] : [])));
  const agreed = (condition: StopCondition) => (goals.has(condition) ? withReviewer(condition) : condition);
  const { success, conditions } = policy;
  return {
    ...policy,
    success: success.map(agreed),
    ...(conditions === undefined ? {} : { conditions: conditions.map(agreed) }),
  };
}

/** Class and repetition belong to the outermost condition. */
function withReviewer({ class: stopClass, confirm, ...goal }: StopCondition): StopCondition {
  return {
    type: 'all',
    conditions: [...(goal.type === 'all' ? goal.conditions : [goal]), REVIEW_ALONE],
    ...(stopClass === undefined ? {} : { class: stopClass }),
    ...(confirm === undefined ? {} : { confirm }),
  };
}

/** A condition of the effective policy and where it was written. */
export interface WrittenCondition {
  readonly condition: StopCondition;
  readonly origin: Origin;
  /** As it was written, for issues that show only when all layers are known. */
  readonly path: string;
  readonly locate: Layer['locate'];
}

type Written = readonly WrittenCondition[];
type StreakType = 'test_failure_streak' | 'no_progress';

/** What the layers so far say about stopping; undefined where none of them said anything. */
interface PolicyDraft {
  readonly success?: Written | undefined;
  readonly failure?: Written | undefined;
  readonly limits?: Written | undefined;
  readonly conditions?: Written | undefined;
  readonly scripts: Written;
  readonly patterns: Written;
  /** The short forms of two failure conditions; `remove` for their 0. */
  readonly streaks: Readonly<Partial<Record<StreakType, WrittenCondition | 'remove'>>>;
  /** Each `max_iterations` that applies, whether it is in a list or alone; `none` for the wish for no such limit. */
  readonly iterations?: Written | 'none' | undefined;
  readonly goals: Written;
  readonly failures: Written;
  readonly extraLimits: Written;
}

const EMPTY_DRAFT: PolicyDraft = {
  scripts: [],
  patterns: [],
  streaks: {},
  goals: [],
  failures: [],
  extraLimits: [],
};

/** The draft after one more layer. A list takes the place of the same list, and of its short forms, in the layers below. */
function applyLayer(draft: PolicyDraft, layer: Layer, issues: Issue[]): PolicyDraft {
  const stop = layer.values.stop ?? {};
  let next = applyLists(draft, stop, layer);
  next = applyShorthands(next, stop, layer, issues);
  next = applyIterations(next, stop, layer, issues);
  return applyChanges(next, layer);
}

function applyLists(draft: PolicyDraft, stop: StopValues, layer: Layer): PolicyDraft {
  const list = (entries: readonly ListEntry[] | undefined) => entries?.flatMap((entry) => written(entry, layer));
  return {
    ...draft,
    success: list(stop.success) ?? draft.success,
    scripts: stop.success === undefined ? draft.scripts : [],
    failure: list(stop.failure) ?? draft.failure,
    patterns: stop.failure === undefined ? draft.patterns : [],
    streaks: stop.failure === undefined ? draft.streaks : {},
    limits: list(stop.limits) ?? draft.limits,
    conditions: list(stop.conditions) ?? draft.conditions,
  };
}

function applyShorthands(draft: PolicyDraft, stop: StopValues, layer: Layer, issues: Issue[]): PolicyDraft {
  const make = (condition: StopCondition, path: string) => written({ condition, path }, layer);
  const patterns = stop.stop_on_patterns?.flatMap((pattern, index) =>
    make(
      {
        type: 'any',
        conditions: [
          { type: 'output_pattern', pattern },
          { type: 'on_error', pattern },
        ],
      },
      `stop.stop_on_patterns[${index}]`,
    ),
  );
  const scripts = stop.custom_scripts?.flatMap((script, index) =>
    make({ type: 'custom_script', script }, `stop.custom_scripts[${index}]`),
  );
  let { streaks } = draft;
  for (const { key, type, conditionOf } of STREAK_FORMS) {
    const count = stop[key];
    if (count === undefined) continue;
    if (stop.failure?.some((entry) => typeOf(entry) === type) === true) {
      issues.push(layer.locate({ path: `stop.${key}`, message: `stop.failure also has ${type}; keep one of the two` }));
    }
    const [streak] = count === 0 ? [] : make(conditionOf(count), `stop.${key}`);
    streaks = { ...streaks, [type]: streak ?? 'remove' };
  }
  return { ...draft, patterns: patterns ?? draft.patterns, scripts: scripts ?? draft.scripts, streaks };
}

const STREAK_FORMS = [
  {
    key: 'max_test_failure_streak',
    type: 'test_failure_streak',
    conditionOf: (count: number): StopCondition => ({ type: 'test_failure_streak', count }),
  },
  {
    key: 'max_no_progress_iterations',
    type: 'no_progress',
    conditionOf: (iterations: number): StopCondition => ({ type: 'no_progress', iterations }),
  },
] as const;

/** `max_iterations` alone and in the list of limits are one setting: in one layer they may not differ. */
function applyIterations(draft: PolicyDraft, stop: StopValues, layer: Layer, issues: Issue[]): PolicyDraft {
  const alone = layer.values.max_iterations;
  const inList = (stop.limits ?? []).filter((entry) => typeOf(entry) === DEFAULT_LIMIT.type);
  const counts = inList.map(countOf);
  const wanted = alone ?? (counts.includes(0) ? 0 : undefined);
  const other = wanted === undefined ? undefined : counts.find((count) => count !== wanted);
  if (other !== undefined) {
    const path = alone === undefined ? 'stop.limits' : DEFAULT_LIMIT.type;
    issues.push(
      layer.locate({ path, message: `max_iterations is written as ${wanted} and as ${other}; keep one of the two` }),
    );
  }
  if (inList.length > 0) {
    const entries = (draft.limits ?? []).filter(({ condition }) => condition.type === DEFAULT_LIMIT.type);
    return { ...draft, iterations: counts.includes(0) ? 'none' : entries };
  }
  return alone === undefined ? draft : withIterations(draft, alone, { path: DEFAULT_LIMIT.type }, layer);
}

function withIterations(draft: PolicyDraft, count: number, { path }: { path: string }, layer: Layer): PolicyDraft {
  const others = removeType(draft, DEFAULT_LIMIT.type);
  if (count === 0) return { ...others, iterations: 'none' };
  return { ...others, iterations: written({ condition: { type: DEFAULT_LIMIT.type, count }, path }, layer) };
}

function applyChanges(draft: PolicyDraft, layer: Layer): PolicyDraft {
  if (layer.changes === undefined) return draft;
  let next = draft;
  for (const { type, entry } of layer.changes.limits) {
    if (type === DEFAULT_LIMIT.type && entry !== undefined) next = withIterations(next, countOf(entry), entry, layer);
    else {
      const others = removeType(next, type);
      next = { ...others, extraLimits: [...others.extraLimits, ...(entry === undefined ? [] : written(entry, layer))] };
    }
  }
  const { success, failure, limits } = layer.changes.added;
  if (limits.some(({ condition }) => condition === 'no-iteration-limit')) {
    next = withIterations(next, 0, { path: '--limit' }, layer);
  }
  const list = (entries: readonly ListEntry[]) => entries.flatMap((entry) => written(entry, layer));
  return {
    ...next,
    goals: [...next.goals, ...list(success)],
    failures: [...next.failures, ...list(failure)],
    extraLimits: [...next.extraLimits, ...list(limits)],
  };
}

function removeType(draft: PolicyDraft, type: ConditionType): PolicyDraft {
  const others = (list: Written) => list.filter(({ condition }) => condition.type !== type);
  return {
    ...draft,
    limits: draft.limits === undefined ? undefined : others(draft.limits),
    conditions: draft.conditions === undefined ? undefined : others(draft.conditions),
    extraLimits: others(draft.extraLimits),
  };
}

export function typeOf({ condition }: ListEntry): ConditionType {
  return typeof condition === 'object' ? condition.type : DEFAULT_LIMIT.type;
}

function countOf({ condition }: ListEntry): number {
  return typeof condition === 'object' && 'count' in condition ? condition.count : 0;
}

function written({ condition, path }: ListEntry, layer: Layer): WrittenCondition[] {
  if (condition === 'no-iteration-limit') return [];
  return [{ condition, path, origin: layer.originOf(path), locate: layer.locate }];
}
