/**
 * A stop condition: plain, frozen, serialisable data, written the same in YAML, JSON, the journal and TypeScript.
 * `class` gives a condition of a neutral list its class; `confirm` makes the harness check a goal that often.
 */
export type StopCondition = ConditionShape & {
  readonly class?: 'goal' | 'failure' | undefined;
  readonly confirm?: number | undefined;
};

export type ConditionShape =
  | { readonly type: 'max_iterations'; readonly count: number }
  | { readonly type: 'max_duration'; readonly duration: string }
  | { readonly type: 'deadline'; readonly at: string }
  | { readonly type: 'max_tokens'; readonly count: number }
  | { readonly type: 'max_input_tokens'; readonly count: number }
  | { readonly type: 'max_output_tokens'; readonly count: number }
  | { readonly type: 'max_cost'; readonly usd: number; readonly model?: string | undefined }
  | { readonly type: 'max_cost_per_day'; readonly usd: number }
  | { readonly type: 'max_cost_of_batch'; readonly usd: number }
  | { readonly type: 'test_failure_streak'; readonly count: number; readonly strict?: boolean | undefined }
  | { readonly type: 'all_tests_pass'; readonly fewer_tests?: 'allow' | undefined }
  | { readonly type: 'specific_tests_pass'; readonly tests: readonly string[] }
  | { readonly type: 'no_progress'; readonly iterations: number }
  | { readonly type: 'oscillation'; readonly count: number }
  | { readonly type: 'consecutive_failures'; readonly count: number }
  | { readonly type: 'repeated_error'; readonly count: number }
  | { readonly type: 'file_created'; readonly path: string }
  | { readonly type: 'file_contains'; readonly path: string; readonly content: string }
  | { readonly type: 'output_pattern'; readonly pattern: string; readonly is_regex?: boolean | undefined }
  | { readonly type: 'agent_reports_done' }
  | { readonly type: 'agent_reports_blocked' }
  | { readonly type: 'on_error'; readonly pattern?: string | undefined }
  | {
      readonly type: 'custom_script';
      readonly script: string;
      readonly args?: readonly string[] | undefined;
      readonly timeout?: string | undefined;
    }
  | { readonly type: 'check_passes'; readonly name: string }
  | { readonly type: 'protected_path_changed'; readonly paths: readonly string[] }
  | { readonly type: 'diff_exceeds'; readonly files?: number | undefined; readonly lines?: number | undefined }
  | { readonly type: 'permission_denied'; readonly count: number }
  | { readonly type: 'context_above'; readonly percent: number }
  | { readonly type: 'user_signal' }
  | { readonly type: 'retry_rate'; readonly max: number; readonly min_items?: number | undefined }
  | { readonly type: 'reject_rate'; readonly max: number; readonly min_items?: number | undefined }
  | { readonly type: 'consecutive_fails'; readonly count: number }
  | { readonly type: 'circuit_breaker'; readonly attempts: number }
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'all'; readonly conditions: readonly StopCondition[] }
  | { readonly type: 'any'; readonly conditions: readonly StopCondition[] }
  | { readonly type: 'not'; readonly condition: StopCondition }
  | { readonly type: 'for'; readonly iterations: number; readonly condition: StopCondition }
  | { readonly type: 'never' };

export type ConditionType = ConditionShape['type'];

export type ConditionOf<T extends ConditionType> = Extract<StopCondition, { readonly type: T }>;

/** Those whose answer needs a look at the disk, a program or a function, and is recorded. */
export type ProbeCondition = ConditionOf<'file_created' | 'file_contains' | 'custom_script' | 'function'>;

const PROBES: readonly ConditionType[] = ['file_created', 'file_contains', 'custom_script', 'function'];

export function isProbe(condition: StopCondition): condition is ProbeCondition {
  return PROBES.includes(condition.type);
}

/** The conditions directly inside a composite; none inside a leaf. */
export function childrenOf(condition: StopCondition): readonly StopCondition[] {
  switch (condition.type) {
    case 'all':
    case 'any':
      return condition.conditions;
    case 'not':
    case 'for':
      return [condition.condition];
    default:
      return [];
  }
}

/** Every leaf of the tree, left to right. */
export function leavesOf(condition: StopCondition): readonly StopCondition[] {
  const children = childrenOf(condition);
  return children.length === 0 ? [condition] : children.flatMap(leavesOf);
}
