import { leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { LeafFactory } from '../model/conditions/catalog.js';
import type { Issue } from '../model/errors.js';
import type { NeedsDirectory } from '../model/judging/define-condition.js';

type Leaf = ReturnType<Exclude<LeafFactory, { readonly definition: NeedsDirectory }>>;

/** A condition that can be told without a working directory, through and through. */
export type DirectoryFreeCondition =
  | Leaf
  | (Extract<StopCondition, { readonly type: 'all' | 'any' }> & {
      readonly conditions: readonly DirectoryFreeCondition[];
    })
  | (Extract<StopCondition, { readonly type: 'not' | 'for' }> & { readonly condition: DirectoryFreeCondition });

/** Conditions that look at a directory where there is none. */
export function directoryIssues(conditions: readonly (readonly [string, StopCondition])[]): readonly Issue[] {
  return conditions.flatMap(([path, condition]) =>
    leavesOf(condition)
      .filter(({ type }) => CONDITION_CATALOG[type].needsDirectory === true)
      .map(({ type }) => ({ path, message: `${type} needs a working directory: set \`workingDir\`` })),
  );
}
