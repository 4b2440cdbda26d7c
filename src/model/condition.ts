import type { DEFINITIONS, Shape } from './conditions/catalog.js';
import type { Whole } from './judging/condition-definition.js';

/**
 * A stop condition: plain, frozen, serialisable data, written the same in YAML, JSON, the journal and TypeScript.
 * `class` gives a condition of a neutral list its class; `confirm` makes the harness check a goal that often.
 * `conditions/` has a file for each.
 */
export type StopCondition = Whole<Shape>;

export type ConditionType = StopCondition['type'];

export type ConditionOf<T extends ConditionType> = Extract<StopCondition, { readonly type: T }>;

/** The types whose definition has this property. */
export type TypeWith<P extends string> = {
  [T in ConditionType]: (typeof DEFINITIONS)[T] extends Readonly<Record<P, unknown>> ? T : never;
}[ConditionType];

/** Those whose answer needs the disk, a program or a function, and is recorded. */
export type ProbeCondition = ConditionOf<TypeWith<'probe'>>;

/** The conditions directly inside a composite; none inside a leaf. */
export function childrenOf(condition: StopCondition): readonly StopCondition[] {
  if ('conditions' in condition) return condition.conditions;
  return 'condition' in condition ? [condition.condition] : [];
}

/** Every leaf of the tree, left to right. */
export function leavesOf(condition: StopCondition): readonly StopCondition[] {
  const children = childrenOf(condition);
  return children.length === 0 ? [condition] : children.flatMap(leavesOf);
}
