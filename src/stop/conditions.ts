import type { StopCondition } from '../model/condition.js';
import { formatDuration } from '../model/duration.js';
import { parseCondition } from '../model/parse-condition.js';

/** Builds checked, frozen conditions: a mistake is a ConfigError at once, not a limit that never holds. */
const build = (type: StopCondition['type'], fields: object = {}): StopCondition => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return parseCondition({ type, ...Object.fromEntries(given) }, type);
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
export const maxIterations = (count: number): StopCondition => build('max_iterations', { count });

/** Stops after this much active time: `'4h'`, `'1h 30m'`, or milliseconds. */
export const maxDuration = (duration: string | number): StopCondition =>
  build('max_duration', { duration: typeof duration === 'number' ? durationText(duration) : duration });

/** Stops at a time of the clock. */
export const deadline = (at: string | Date): StopCondition =>
  build('deadline', { at: typeof at === 'string' ? at : isoText(at) });

/** Stops when input and output tokens together reach `count`. */
export const maxTokens = (count: number): StopCondition => build('max_tokens', { count });

export const maxInputTokens = (count: number): StopCondition => build('max_input_tokens', { count });

export const maxOutputTokens = (count: number): StopCondition => build('max_output_tokens', { count });

/** Stops when the run has cost this much. `model` prices usage that names no model. */
/** Over all runs of the user on this machine, by the day. */
export const maxCostPerDay = (usd: number): StopCondition => build('max_cost_per_day', { usd });
export const maxCost = (usd: number, model?: string): StopCondition => build('max_cost', { usd, model });

/** Stops after `count` red iterations in a row without a new low; `strict` counts every red one. */
export const testFailureStreak = (count: number, options: { strict?: boolean } = {}): StopCondition =>
  build('test_failure_streak', { count, strict: options.strict });

/** Holds when tests ran, none failed and no fewer ran than in the baseline. */
export const allTestsPass = (options: { fewerTests?: 'allow' } = {}): StopCondition =>
  build('all_tests_pass', { fewer_tests: options.fewerTests });

export const specificTestsPass = (tests: readonly string[]): StopCondition => build('specific_tests_pass', { tests });

export const noProgress = (iterations: number): StopCondition => build('no_progress', { iterations });

/** Stops when the tree has returned to an earlier state `count` times. */
export const oscillation = (count: number): StopCondition => build('oscillation', { count });

export const consecutiveFailures = (count: number): StopCondition => build('consecutive_failures', { count });

export const repeatedError = (count: number): StopCondition => build('repeated_error', { count });

export const fileCreated = (path: string): StopCondition => build('file_created', { path });

export const fileContains = (path: string, content: string): StopCondition => build('file_contains', { path, content });

/** Holds when the agent said the text. */
export const outputPattern = (pattern: string): StopCondition => build('output_pattern', { pattern });

/** Holds when what the agent said matches; runs in linear time, without look-around and back-references. */
export const outputRegex = (pattern: string): StopCondition => build('output_pattern', { pattern, is_regex: true });

export const onError = (pattern?: string): StopCondition => build('on_error', { pattern });

export const customScript = (
  script: string,
  args?: readonly string[],
  options: { timeout?: string } = {},
): StopCondition => build('custom_script', { script, args, timeout: options.timeout });

export const checkPasses = (name: string): StopCondition => build('check_passes', { name });

/** A veto: met together with a goal, the goal does not count. */
export const protectedPathChanged = (paths: readonly string[]): StopCondition =>
  build('protected_path_changed', { paths });

/** A veto against runaway edits. */
export const diffExceeds = (limits: { files?: number; lines?: number }): StopCondition => build('diff_exceeds', limits);

export const permissionDenied = (count: number): StopCondition => build('permission_denied', { count });

export const contextAbove = (percent: number): StopCondition => build('context_above', { percent });

export const userSignal = (): StopCondition => build('user_signal');

export const retryRate = (max: number, options: { minItems?: number } = {}): StopCondition =>
  build('retry_rate', { max, min_items: options.minItems });

export const rejectRate = (max: number, options: { minItems?: number } = {}): StopCondition =>
  build('reject_rate', { max, min_items: options.minItems });

export const consecutiveFails = (count: number): StopCondition => build('consecutive_fails', { count });

export const circuitBreaker = (attempts: number): StopCondition => build('circuit_breaker', { attempts });

export const allOf = (...conditions: readonly StopCondition[]): StopCondition => build('all', { conditions });

export const anyOf = (...conditions: readonly StopCondition[]): StopCondition => build('any', { conditions });

export const not = (condition: StopCondition): StopCondition => build('not', { condition });

/** `a and b`; onto an `all` it is added, so that chains stay flat. */
export const and = (a: StopCondition, b: StopCondition): StopCondition =>
  a.type === 'all' ? build('all', { ...a, conditions: [...a.conditions, b] }) : allOf(a, b);

/** `a or b`; onto an `any` it is added, so that chains stay flat. */
export const or = (a: StopCondition, b: StopCondition): StopCondition =>
  a.type === 'any' ? build('any', { ...a, conditions: [...a.conditions, b] }) : anyOf(a, b);

/** Holds when the condition has held that many iterations in a row. */
export const holdsFor = (iterations: number, condition: StopCondition): StopCondition =>
  build('for', { iterations, condition });

export const never = (): StopCondition => build('never');

/** Makes a condition of a neutral list a goal; `confirm` has the harness check it that often. */
export const goal = (condition: StopCondition, options: { confirm?: number } = {}): StopCondition =>
  parseCondition({ ...condition, class: 'goal', ...(options.confirm === undefined ? {} : options) }, 'goal');

/** Makes a condition of a neutral list a failure. */
export const failure = (condition: StopCondition): StopCondition =>
  parseCondition({ ...condition, class: 'failure' }, 'failure');

/** Sign and NaN are kept, so that the check can refuse them by name. */
function durationText(ms: number): string {
  return ms > 0 && Number.isFinite(ms) ? formatDuration(ms, { exact: true }) : String(ms);
}

function isoText(at: Date): string {
  return Number.isNaN(at.getTime()) ? 'an invalid date' : at.toISOString();
}
