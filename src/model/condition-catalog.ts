import type { ConditionType, ProbeCondition, StopCondition } from './condition.js';
import { DEFINITIONS } from './conditions/catalog.js';
import type { ConditionDefinition } from './judging/condition-definition.js';
import type { Limit } from './judging/quantity.js';

export type Definition = ConditionDefinition<StopCondition>;

/** What there is to say about each condition. */
export const CONDITION_CATALOG: Readonly<Record<ConditionType, Definition>> = DEFINITIONS as unknown as Record<
  ConditionType,
  Definition
>;

export const CONDITION_TYPES = Object.keys(CONDITION_CATALOG) as readonly ConditionType[];

export function isConditionType(text: string): text is ConditionType {
  return Object.hasOwn(CONDITION_CATALOG, text);
}

export function isProbe(condition: StopCondition): condition is ProbeCondition {
  return CONDITION_CATALOG[condition.type].probe !== undefined;
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
  return CONDITION_CATALOG[condition.type].program?.(condition);
}

/** Spec 104's number: within one class the higher is named first. */
export function priority(condition: StopCondition): number {
  return CONDITION_CATALOG[condition.type].priority;
}

/** The versions of rules that a run is started with: those above 1. */
export const NEWEST_RULES: Readonly<Record<string, number>> = Object.freeze(
  Object.fromEntries(
    Object.values(CONDITION_CATALOG).flatMap(({ type, version }) => (version > 1 ? [[type, version]] : [])),
  ),
);
