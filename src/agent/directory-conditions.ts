import { leavesOf, type StopCondition } from '../model/condition.js';
import type { Issue } from '../model/errors.js';

const NEED_DIRECTORY = [
  'all_tests_pass',
  'specific_tests_pass',
  'test_failure_streak',
  'no_progress',
  'oscillation',
  'file_created',
  'file_contains',
  'custom_script',
  'check_passes',
  'protected_path_changed',
  'diff_exceeds',
] as const satisfies readonly StopCondition['type'][];

type Composite = 'all' | 'any' | 'not' | 'for';

type Leaf = Exclude<StopCondition, { readonly type: (typeof NEED_DIRECTORY)[number] | Composite }>;

/** A condition that can be told without a working directory, through and through. */
export type DirectoryFreeCondition =
  | Leaf
  | (Extract<StopCondition, { readonly type: 'all' | 'any' }> & {
      readonly conditions: readonly DirectoryFreeCondition[];
    })
  | (Extract<StopCondition, { readonly type: 'not' | 'for' }> & { readonly condition: DirectoryFreeCondition });

/** Conditions that look at a directory where there is none. */
export function directoryIssues(conditions: readonly (readonly [string, StopCondition])[]): readonly Issue[] {
  const needy: readonly string[] = NEED_DIRECTORY;
  return conditions.flatMap(([path, condition]) =>
    leavesOf(condition)
      .filter(({ type }) => needy.includes(type))
      .map(({ type }) => ({ path, message: `${type} looks at a working directory: give \`workingDir\`` })),
  );
}
