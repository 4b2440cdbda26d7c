import type { ConditionType, StopCondition } from '../model/condition.js';
import type { Issue } from '../model/errors.js';
import { DEFAULT_LIMIT } from './default-policy.js';
import type { StopValues } from './config-shape.js';
import type { Layer, Origin } from './layer.js';
import type { ListEntry } from './shape.js';

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
export interface PolicyDraft {
  readonly success?: Written | undefined;
  readonly failure?: Written | undefined;
  readonly limits?: Written | undefined;
  readonly conditions?: Written | undefined;
  readonly scripts: Written;
  readonly patterns: Written;
  /** The short forms of two failure conditions; `remove` for their 0. */
  readonly streaks: Readonly<Partial<Record<StreakType, WrittenCondition | 'remove'>>>;
  /** Each `max_iterations` that applies, whether it stands in a list or alone; `none` for the wish for no such limit. */
  readonly iterations?: Written | 'none' | undefined;
  readonly goals: Written;
  readonly failures: Written;
  readonly extraLimits: Written;
}

export const EMPTY_DRAFT: PolicyDraft = {
  scripts: [],
  patterns: [],
  streaks: {},
  goals: [],
  failures: [],
  extraLimits: [],
};

/** The draft after one more layer. A list takes the place of the same list, and of its short forms, in the layers below. */
export function applyLayer(draft: PolicyDraft, layer: Layer, issues: Issue[]): PolicyDraft {
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
