import type { StopCondition } from '../model/condition.js';
import { formatDuration, parseDuration } from '../model/duration.js';
import { isNoLimit } from '../model/policy.js';
import type { Unit } from '../model/unit.js';
import { count, list, percent, plural, quote, usdLimit } from './figures.js';

/** When the condition stops a run, to be read after "stops": "after 30 iterations", "when all tests pass". */
export function describe(condition: StopCondition, unit: Unit = 'iteration'): string {
  if (isNoLimit(condition)) return `no ${condition.type}`;
  switch (condition.type) {
    case 'max_iterations':
      return `after ${plural(condition.count, unit)}`;
    case 'max_duration':
      return `after ${duration(condition.duration)} of active time`;
    case 'deadline':
      return `at ${condition.at}`;
    case 'max_tokens':
      return `after ${count(condition.count)} tokens`;
    case 'max_input_tokens':
      return `after ${count(condition.count)} input tokens`;
    case 'max_output_tokens':
      return `after ${count(condition.count)} output tokens`;
    case 'max_cost':
      return `after ${usdLimit(condition.usd)}${condition.model === undefined ? '' : ` at the price of ${condition.model}`}`;
    case 'max_cost_per_day':
      return `after ${usdLimit(condition.usd)} a day, over all runs on this machine`;
    case 'max_cost_of_batch':
      return `after ${usdLimit(condition.usd)} over all runs of the batch`;
    case 'context_above':
      return `when more than ${condition.percent}% of the context is used`;
    case 'test_failure_streak':
    case 'no_progress':
    case 'oscillation':
    case 'consecutive_failures':
    case 'repeated_error':
    case 'permission_denied':
      return describeStreak(condition, unit);
    case 'retry_rate':
    case 'reject_rate':
    case 'consecutive_fails':
    case 'circuit_breaker':
      return describePipeline(condition);
    case 'all':
    case 'any':
    case 'not':
    case 'for':
    case 'never':
      return describeComposite(condition, unit);
    default:
      return describeObserved(condition, unit);
  }
}

type Of<T extends StopCondition['type']> = Extract<StopCondition, { readonly type: T }>;

function describeStreak(
  condition: Of<
    | 'test_failure_streak'
    | 'no_progress'
    | 'oscillation'
    | 'consecutive_failures'
    | 'repeated_error'
    | 'permission_denied'
  >,
  unit: Unit,
): string {
  switch (condition.type) {
    case 'test_failure_streak': {
      const what = condition.strict === true ? 'failing tests' : 'failing tests that do not get fewer';
      return `after ${plural(condition.count, unit)} in a row with ${what}`;
    }
    case 'no_progress':
      return `after ${plural(condition.iterations, unit)} in a row without progress`;
    case 'oscillation':
      return `when the tree has returned to an earlier state ${plural(condition.count, 'time')}`;
    case 'consecutive_failures':
      return `after ${plural(condition.count, `failed ${unit}`)} in a row`;
    case 'repeated_error':
      return `when the same error occurs ${plural(condition.count, 'time')} in a row`;
    case 'permission_denied':
      return `after ${plural(condition.count, 'denial')} in a row`;
    default:
      return condition satisfies never;
  }
}

function describePipeline(
  condition: Of<'retry_rate' | 'reject_rate' | 'consecutive_fails' | 'circuit_breaker'>,
): string {
  switch (condition.type) {
    case 'retry_rate':
      return `when more than ${percent(condition.max)} of the items need a retry${from(condition.min_items)}`;
    case 'reject_rate':
      return `when more than ${percent(condition.max)} of the items are rejected or fail${from(condition.min_items)}`;
    case 'consecutive_fails':
      return `after ${plural(condition.count, 'item')} in a row that are rejected or fail`;
    case 'circuit_breaker':
      return `after ${plural(condition.attempts, 'attempt')} in all`;
    default:
      return condition satisfies never;
  }
}

function describeObserved(
  condition: Of<
    | 'all_tests_pass'
    | 'specific_tests_pass'
    | 'file_created'
    | 'file_contains'
    | 'output_pattern'
    | 'agent_reports_done'
    | 'agent_reports_blocked'
    | 'on_error'
    | 'custom_script'
    | 'check_passes'
    | 'protected_path_changed'
    | 'diff_exceeds'
    | 'user_signal'
    | 'function'
  >,
  unit: Unit,
): string {
  switch (condition.type) {
    case 'all_tests_pass':
      return `when all tests pass${condition.fewer_tests === 'allow' ? ', even if fewer run' : ''}`;
    case 'specific_tests_pass':
      return `when these tests pass: ${list(condition.tests, 10)}`;
    case 'file_created':
      return `when ${condition.path} exists`;
    case 'file_contains':
      return `when ${condition.path} holds ${quote(condition.content)}`;
    case 'output_pattern':
      return `when the agent says ${condition.is_regex === true ? `/${condition.pattern}/` : quote(condition.pattern)}`;
    case 'agent_reports_done':
      return 'when the agent reports that it is done';
    case 'agent_reports_blocked':
      return 'when the agent reports that it is blocked';
    case 'on_error':
      return condition.pattern === undefined ? 'on any error' : `on an error with ${quote(condition.pattern)}`;
    case 'custom_script':
      return `when ${[condition.script, ...(condition.args ?? [])].join(' ')} exits 0`;
    case 'check_passes':
      return `when the check ${condition.name} passes`;
    case 'protected_path_changed':
      return `when the agent changes ${list(condition.paths, 10)}`;
    case 'diff_exceeds':
      return `when one ${unit} changes more than ${[
        condition.files === undefined ? [] : plural(condition.files, 'file'),
        condition.lines === undefined ? [] : plural(condition.lines, 'line'),
      ]
        .flat()
        .join(' or ')}`;
    case 'user_signal':
      return 'when an operator asks';
    case 'function':
      return `when ${condition.name}() says so`;
    default:
      return condition satisfies never;
  }
}

function describeComposite(condition: Of<'all' | 'any' | 'not' | 'for' | 'never'>, unit: Unit): string {
  switch (condition.type) {
    case 'all':
      return condition.conditions.map((part) => group(part, unit)).join(' and ');
    case 'any':
      return condition.conditions.map((part) => group(part, unit)).join(' or ');
    case 'not':
      return `not (${describe(condition.condition, unit)})`;
    case 'for':
      return `when for ${plural(condition.iterations, unit)} in a row: ${group(condition.condition, unit)}`;
    case 'never':
      return 'never';
    default:
      return condition satisfies never;
  }
}

/** Brackets keep `a and (b or c)` apart from `(a and b) or c`. */
function group(condition: StopCondition, unit: Unit): string {
  const text = describe(condition, unit);
  return condition.type === 'all' || condition.type === 'any' ? `(${text})` : text;
}

function from(minItems: number | undefined): string {
  return minItems === undefined || minItems <= 1 ? '' : `, from ${plural(minItems, 'item')} on`;
}

function duration(text: string): string {
  const ms = parseDuration(text);
  return ms === undefined ? text : formatDuration(ms, { exact: true });
}
