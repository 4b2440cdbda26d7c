import type { ConditionType, StopCondition } from './condition.js';
import { conditionKey } from './condition-key.js';
import { DEFINITIONS } from './conditions/catalog.js';
import type { ConditionDefinition } from './judging/condition-definition.js';
import type { Needs } from './judging/needs.js';
import type { Limit } from './judging/quantity.js';
import type { StopClass } from './stop-class.js';

export type Definition = ConditionDefinition<StopCondition>;

/** What there is to say about each condition. */
export const CONDITION_CATALOG = Object.fromEntries(
  DEFINITIONS.map((definition) => [definition.type, definition]),
) as unknown as Readonly<Record<ConditionType, Definition>>;

export const CONDITION_TYPES = Object.keys(CONDITION_CATALOG) as readonly ConditionType[];

export function isConditionType(text: string): text is ConditionType {
  return Object.hasOwn(CONDITION_CATALOG, text);
}

/** The class that a condition has when it is given none. */
export function classOf(condition: StopCondition): StopClass {
  const { class: own, classOf: byFields } = CONDITION_CATALOG[condition.type];
  return byFields?.(condition) ?? own;
}

/** What must be on record for a condition to be met. */
export function needsOf(condition: StopCondition): Needs {
  return CONDITION_CATALOG[condition.type].needs?.(condition) ?? {};
}

/** What the conditions need of one kind, each under the key of its condition. */
export function neededBy<K extends keyof Needs>(
  conditions: readonly StopCondition[],
  kind: K,
): ReadonlyMap<string, NonNullable<Needs[K]>> {
  const found = new Map<string, NonNullable<Needs[K]>>();
  for (const condition of conditions) {
    const need = needsOf(condition)[kind];
    if (need !== undefined) found.set(conditionKey(condition), need);
  }
  return found;
}

/** The one quantity that decides a condition, and how much of it; undefined where several things decide. */
export function limitOf(condition: StopCondition): Limit | undefined {
  return CONDITION_CATALOG[condition.type].limit?.(condition);
}

/** A limit on what several runs spend together. */
export function isSharedLimit(condition: StopCondition): boolean {
  const quantity = limitOf(condition)?.quantity;
  return quantity === 'dayCostUsd' || quantity === 'batchCostUsd';
}

/** The program that a condition runs, with its arguments. */
export function programOf(condition: StopCondition): readonly string[] | undefined {
  const { probe } = needsOf(condition);
  if (probe?.kind === 'measurement') return ['/bin/sh', '-c', probe.command];
  return probe?.kind === 'program' ? [probe.script, ...(probe.args ?? [])] : undefined;
}

/** Spec 104's number: within one class the higher is named first. */
export function priority(condition: StopCondition): number {
  return CONDITION_CATALOG[condition.type].priority;
}

/** The versions of rules that a run is started with: those above 1. */
export const NEWEST_RULES: Readonly<Record<string, number>> = Object.freeze(
  Object.fromEntries(
    Object.values(CONDITION_CATALOG).flatMap(({ type, version }) => (version === undefined ? [] : [[type, version]])),
  ),
);
