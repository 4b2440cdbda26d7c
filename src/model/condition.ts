import type { LeafFactory } from './conditions/catalog.js';
import type { Whole } from './judging/condition-definition.js';

interface List<T> {
  readonly type: T;
  readonly conditions: readonly StopCondition[];
}

interface Around<T> {
  readonly type: T;
  readonly condition: StopCondition;
}

/**
 * A stop condition: plain, frozen, serialisable data, written the same in YAML, JSON, the journal and TypeScript.
 * `class` gives a condition of a neutral list its class; `confirm` makes the harness check a goal that often.
 * `conditions/` has a file for each.
 */
export type StopCondition =
  | ReturnType<LeafFactory>
  | Whole<List<'all'> | List<'any'> | Around<'not'> | (Around<'for'> & { readonly iterations: number })>;

export type ConditionType = StopCondition['type'];

export type ConditionOf<T extends ConditionType> = Extract<StopCondition, { readonly type: T }>;

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
