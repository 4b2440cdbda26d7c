import type { ConditionOf, ConditionType, StopCondition } from '../model/condition.js';
import { type ConditionFunction, withFunction } from '../model/condition-function.js';
import { formatDuration } from '../model/duration.js';
import { parseCondition } from '../model/parse-condition.js';

/** Builds checked, frozen conditions: a mistake is a ConfigError at once, not a limit that never holds. */
const build = <T extends ConditionType>(type: T, fields: object = {}): ConditionOf<T> => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return parseCondition({ type, ...Object.fromEntries(given) }, type) as ConditionOf<T>;
};

/**
 * Stops after `count` iterations.
 *
 * @example
 * ```ts
 * import { maxIterations } from 'pawl';
 * const condition = maxIterations(3); // { type: 'max_iterations', count: 3 }
 * ```
 */
export const maxIterations = (count: number): ConditionOf<'max_iterations'> => build('max_iterations', { count });

/** Stops after this much active time: `'4h'`, `'1h 30m'`, or milliseconds. */
export const maxDuration = (duration: string | number): ConditionOf<'max_duration'> =>
  build('max_duration', { duration: typeof duration === 'number' ? durationText(duration) : duration });

/** Stops at a time of the clock. */
export const deadline = (at: string | Date): ConditionOf<'deadline'> =>
  build('deadline', { at: typeof at === 'string' ? at : isoText(at) });

/** Stops when input and output tokens together reach `count`. */
export const maxTokens = (count: number): ConditionOf<'max_tokens'> => build('max_tokens', { count });

export const maxInputTokens = (count: number): ConditionOf<'max_input_tokens'> => build('max_input_tokens', { count });

export const maxOutputTokens = (count: number): ConditionOf<'max_output_tokens'> =>
  build('max_output_tokens', { count });

/** Stops when the run has cost this much. `model` prices usage that names no model. */
export const maxCost = (usd: number, model?: string): ConditionOf<'max_cost'> => build('max_cost', { usd, model });

/** Over all runs of the user on this machine, by the day. */
export const maxCostPerDay = (usd: number): ConditionOf<'max_cost_per_day'> => build('max_cost_per_day', { usd });

/** Stops after `count` red iterations in a row without a new low; `strict` counts every red one. */
export const testFailureStreak = (
  count: number,
  options: { strict?: boolean } = {},
): ConditionOf<'test_failure_streak'> => build('test_failure_streak', { count, strict: options.strict });

/** Holds when tests ran, none failed and no fewer ran than in the baseline. */
export const allTestsPass = (options: { fewerTests?: 'allow' } = {}): ConditionOf<'all_tests_pass'> =>
  build('all_tests_pass', { fewer_tests: options.fewerTests });

export const specificTestsPass = (tests: readonly string[]): ConditionOf<'specific_tests_pass'> =>
  build('specific_tests_pass', { tests });

export const noProgress = (iterations: number): ConditionOf<'no_progress'> => build('no_progress', { iterations });

/** Stops when the tree has returned to an earlier state `count` times. */
export const oscillation = (count: number): ConditionOf<'oscillation'> => build('oscillation', { count });

export const consecutiveFailures = (count: number): ConditionOf<'consecutive_failures'> =>
  build('consecutive_failures', { count });

export const repeatedError = (count: number): ConditionOf<'repeated_error'> => build('repeated_error', { count });

export const fileCreated = (path: string): ConditionOf<'file_created'> => build('file_created', { path });

export const fileContains = (path: string, content: string): ConditionOf<'file_contains'> =>
  build('file_contains', { path, content });

/** Holds when the agent said the text. */
export const outputPattern = (pattern: string): ConditionOf<'output_pattern'> => build('output_pattern', { pattern });

/** Holds when what the agent said matches; runs in linear time, without look-around and back-references. */
export const outputRegex = (pattern: string): ConditionOf<'output_pattern'> =>
  build('output_pattern', { pattern, is_regex: true });

/** Holds when the agent reported that it is done. It is believed: combine it with what verifies it. */
export const agentReportsDone = (): ConditionOf<'agent_reports_done'> => build('agent_reports_done');

/** Holds when the agent reported that it cannot go on. */
export const agentReportsBlocked = (): ConditionOf<'agent_reports_blocked'> => build('agent_reports_blocked');

export const onError = (pattern?: string): ConditionOf<'on_error'> => build('on_error', { pattern });

export const customScript = (
  script: string,
  args?: readonly string[],
  options: { timeout?: string } = {},
): ConditionOf<'custom_script'> => build('custom_script', { script, args, timeout: options.timeout });

export const checkPasses = (name: string): ConditionOf<'check_passes'> => build('check_passes', { name });

/** A veto: met together with a goal, the goal does not count. */
export const protectedPathChanged = (paths: readonly string[]): ConditionOf<'protected_path_changed'> =>
  build('protected_path_changed', { paths });

/** A veto against runaway edits. */
export const diffExceeds = (limits: { files?: number; lines?: number }): ConditionOf<'diff_exceeds'> =>
  build('diff_exceeds', limits);

export const permissionDenied = (count: number): ConditionOf<'permission_denied'> =>
  build('permission_denied', { count });

export const contextAbove = (percent: number): ConditionOf<'context_above'> => build('context_above', { percent });

export const userSignal = (): ConditionOf<'user_signal'> => build('user_signal');

export const retryRate = (max: number, options: { minItems?: number } = {}): ConditionOf<'retry_rate'> =>
  build('retry_rate', { max, min_items: options.minItems });

export const rejectRate = (max: number, options: { minItems?: number } = {}): ConditionOf<'reject_rate'> =>
  build('reject_rate', { max, min_items: options.minItems });

export const consecutiveFails = (count: number): ConditionOf<'consecutive_fails'> =>
  build('consecutive_fails', { count });

export const circuitBreaker = (attempts: number): ConditionOf<'circuit_breaker'> =>
  build('circuit_breaker', { attempts });

/** Composites keep the types of what is in them, so that whoever takes them can tell what they need. */
type ListOf<T extends 'all' | 'any', C> = ConditionOf<T> & { readonly conditions: readonly C[] };
type Around<T extends 'not' | 'for', C> = ConditionOf<T> & { readonly condition: C };

export const allOf = <C extends readonly StopCondition[]>(...conditions: C): ListOf<'all', C[number]> =>
  build('all', { conditions });

export const anyOf = <C extends readonly StopCondition[]>(...conditions: C): ListOf<'any', C[number]> =>
  build('any', { conditions });

export const not = <C extends StopCondition>(condition: C): Around<'not', C> =>
  build('not', { condition }) as Around<'not', C>;

/** `a and b`; onto an `all` it is added, so that chains stay flat. */
export const and = <A extends StopCondition, B extends StopCondition>(a: A, b: B): ListOf<'all', A | B> => {
  const all: StopCondition = a.type === 'all' ? build('all', { ...a, conditions: [...a.conditions, b] }) : allOf(a, b);
  return all as ListOf<'all', A | B>;
};

/** `a or b`; onto an `any` it is added, so that chains stay flat. */
export const or = <A extends StopCondition, B extends StopCondition>(a: A, b: B): ListOf<'any', A | B> => {
  const any: StopCondition = a.type === 'any' ? build('any', { ...a, conditions: [...a.conditions, b] }) : anyOf(a, b);
  return any as ListOf<'any', A | B>;
};

/** Holds when the condition has held that many iterations in a row. */
export const holdsFor = <C extends StopCondition>(iterations: number, condition: C): Around<'for', C> =>
  build('for', { iterations, condition }) as Around<'for', C>;

export const never = (): ConditionOf<'never'> => build('never');

type Classed<C> = C extends StopCondition ? C : ConditionOf<'function'>;

/** Makes a condition of a neutral list, or a named function, a goal; `confirm` has the harness check it that often. */
export const goal = <C extends StopCondition | ConditionFunction>(
  condition: C,
  options: { confirm?: number } = {},
): Classed<C> => classed(condition, 'goal', options);

/** Makes a condition of a neutral list, or a named function, a failure. */
export const failure = <C extends StopCondition | ConditionFunction>(condition: C): Classed<C> =>
  classed(condition, 'failure', {});

function classed<C extends StopCondition | ConditionFunction>(
  condition: C,
  stopClass: 'goal' | 'failure',
  { confirm }: { readonly confirm?: number },
): Classed<C> {
  const data = typeof condition === 'function' ? { type: 'function', name: condition.name } : condition;
  const times = confirm === undefined ? {} : { confirm };
  const parsed = parseCondition({ ...data, class: stopClass, ...times }, stopClass);
  return (typeof condition === 'function' ? withFunction(parsed, condition) : parsed) as Classed<C>;
}

/** Sign and NaN are kept, so that the check can refuse them by name. */
function durationText(ms: number): string {
  return ms > 0 && Number.isFinite(ms) ? formatDuration(ms, { exact: true }) : String(ms);
}

function isoText(at: Date): string {
  return Number.isNaN(at.getTime()) ? 'an invalid date' : at.toISOString();
}
