import { CONDITION_CATALOG, needsOf } from '../model/condition-catalog.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import type { Issue } from '../model/errors.js';
import { deepFreeze } from '../model/json.js';
import type { Needs } from '../model/judging/needs.js';
import { boundsIterations, type Policy, policyEntries, policyLeaves } from '../model/policy.js';
import type { ConfigValues } from './config-shape.js';
import {
  DEFAULT_FAILURE,
  DEFAULT_GOAL,
  DEFAULT_LIMIT,
  REVIEW_ALONE,
  REVIEW_FAILURES,
  REVIEWED_GOAL,
} from './default-policy.js';
import type { Layer, Origin } from './layer.js';
import { applyLayer, EMPTY_DRAFT, type PolicyDraft, type WrittenCondition } from './policy-draft.js';

const REVIEW_USED = 'a review is configured';
const REVIEW_GIVEN = 'a review is configured and no goal is written';
const TESTS_GIVEN = 'tests are configured and no goal is written';

export interface MergedPolicy {
  readonly policy: Policy;
  readonly written: readonly WrittenCondition[];
}

/** The policy that all layers together make, with the defaults of the classes that nobody wrote. */
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

/** Beside a goal that says more about the tests, the default would be met first and make it pointless. */
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
function withReview(policy: Policy, { when }: NonNullable<ConfigValues['review']>): Policy {
  const goals = when === 'goal' && !mentions(policy, 'agreement') ? withAgreement(policy) : policy;
  return mentions(goals, 'opinion') ? goals : { ...goals, failure: [...goals.failure, ...REVIEW_FAILURES] };
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
    conditions: [goal, REVIEW_ALONE],
    ...(stopClass === undefined ? {} : { class: stopClass }),
    ...(confirm === undefined ? {} : { confirm }),
  };
}
