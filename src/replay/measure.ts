import type { StopCondition } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import { ratesOf } from '../model/reduce-pipeline.js';
import { testsRan } from '../model/test-results.js';
import type { Facts } from '../stop/facts.js';

export type MeasureUnit =
  | 'iterations'
  | 'ms'
  | 'tokens'
  | 'usd'
  | 'percent'
  | 'part'
  | 'tests'
  | 'times'
  | 'items'
  | 'attempts'
  | 'files'
  | 'lines';

/** Where a condition stands, in figures: it is met when the value reaches the threshold, or passes it. */
export interface Measure {
  /** Undefined when it is not known. */
  readonly value?: number | undefined;
  readonly threshold: number;
  readonly unit: MeasureUnit;
}

/** Undefined for what is no matter of figures: a file, a word, a composite. */
export function measureOf(condition: StopCondition, facts: Facts): Measure | undefined {
  switch (condition.type) {
    case 'max_iterations':
      return of(facts.iteration, condition.count, facts.pipeline === undefined ? 'iterations' : 'attempts');
    case 'max_duration': {
      const limitMs = parseDuration(condition.duration);
      return limitMs === undefined ? undefined : of(facts.activeMs, limitMs, 'ms');
    }
    case 'max_tokens':
      return of(facts.spend.totalTokens, condition.count, 'tokens');
    case 'max_input_tokens':
      return of(facts.spend.inputTokens, condition.count, 'tokens');
    case 'max_output_tokens':
      return of(facts.spend.outputTokens, condition.count, 'tokens');
    case 'max_cost':
      return of(facts.spend.costUsd, condition.usd, 'usd');
    case 'max_cost_per_day':
      return of(facts.dayCostUsd, condition.usd, 'usd');
    case 'max_cost_of_batch':
      return of(facts.batchCostUsd, condition.usd, 'usd');
    case 'context_above':
      return of(facts.contextPercent, condition.percent, 'percent');
    case 'retry_rate':
    case 'reject_rate':
    case 'consecutive_fails':
    case 'circuit_breaker':
      return ofPipeline(condition, facts);
    case 'all_tests_pass':
      return ofTests(facts);
    case 'diff_exceeds':
      return ofDiff(condition, facts);
    default:
      return ofStreak(condition, facts);
  }
}

function of(value: number | undefined, threshold: number, unit: MeasureUnit): Measure {
  return { ...(value === undefined || Number.isNaN(value) ? {} : { value }), threshold, unit };
}

function ofStreak(condition: StopCondition, { streaks }: Facts): Measure | undefined {
  switch (condition.type) {
    case 'test_failure_streak': {
      const streak = condition.strict === true ? streaks.strictTestFailures : streaks.testFailures;
      return of(streak, condition.count, 'iterations');
    }
    case 'no_progress':
      return of(streaks.withoutProgress, condition.iterations, 'iterations');
    case 'consecutive_failures':
      return of(streaks.failures, condition.count, 'iterations');
    case 'oscillation':
      return of(streaks.oscillations, condition.count, 'times');
    case 'repeated_error':
      return of(streaks.sameError, condition.count, 'times');
    case 'permission_denied':
      return of(streaks.denials, condition.count, 'times');
    default:
      return undefined;
  }
}

type OfPipeline = Extract<
  StopCondition,
  { readonly type: 'retry_rate' | 'reject_rate' | 'consecutive_fails' | 'circuit_breaker' }
>;

function ofPipeline(condition: OfPipeline, { pipeline }: Facts): Measure {
  const rates = pipeline && ratesOf(pipeline);
  switch (condition.type) {
    case 'retry_rate':
      return of(rates?.retryRate, condition.max, 'part');
    case 'reject_rate':
      return of(rates?.rejectRate, condition.max, 'part');
    case 'consecutive_fails':
      return of(pipeline?.consecutiveFails, condition.count, 'items');
    case 'circuit_breaker':
      return of(pipeline?.attempts, condition.attempts, 'attempts');
    default:
      return condition satisfies never;
  }
}

/** No fewer may run than before the first iteration. */
function ofTests({ tests, baselineTests }: Facts): Measure | undefined {
  const ran = tests && testsRan(tests);
  if (tests?.passed === undefined || ran === undefined) return undefined;
  return of(tests.passed, Math.max(ran, (baselineTests && testsRan(baselineTests)) ?? 0), 'tests');
}

function ofDiff(
  { files, lines }: Extract<StopCondition, { readonly type: 'diff_exceeds' }>,
  { files: changed }: Facts,
): Measure | undefined {
  if (lines !== undefined) return of(changed?.changedLines, lines, 'lines');
  return files === undefined ? undefined : of(changed?.changedFiles, files, 'files');
}
