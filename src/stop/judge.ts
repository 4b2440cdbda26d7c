import type { StopCondition } from '../model/condition.js';
import type { StopConditionResult } from '../model/verdict.js';
import { combineAll, combineAny, hold, negate } from './combine.js';
import type { Facts } from './facts.js';
import {
  judgeSharedCost,
  judgeContext,
  judgeCost,
  judgeDeadline,
  judgeDuration,
  judgeIterations,
  judgeTokens,
} from './judge-limit.js';
import {
  judgeCheck,
  judgeClaim,
  judgeDiff,
  judgeError,
  judgeNever,
  judgeOutput,
  judgeProbe,
  judgeSignal,
} from './judge-observed.js';
import { judgeBreaker, judgeConsecutiveFails, judgeRate } from './judge-pipeline.js';
import { judgeStreak } from './judge-streak.js';
import { judgeAllTests, judgeNamedTests } from './judge-tests.js';

/**
 * S1: what the facts say of a condition. Reads no clock, no disk, no network; the same facts give the same answer for
 * ever. Every part of a composite is judged, so that every sentence can be shown.
 */
export function judge(condition: StopCondition, facts: Facts): StopConditionResult {
  switch (condition.type) {
    case 'max_iterations':
      return judgeIterations(condition, facts);
    case 'max_duration':
      return judgeDuration(condition, facts);
    case 'deadline':
      return judgeDeadline(condition, facts);
    case 'max_tokens':
    case 'max_input_tokens':
    case 'max_output_tokens':
      return judgeTokens(condition, facts);
    case 'max_cost':
      return judgeCost(condition, facts);
    case 'max_cost_per_day':
    case 'max_cost_of_batch':
      return judgeSharedCost(condition, facts);
    case 'context_above':
      return judgeContext(condition, facts);
    case 'test_failure_streak':
    case 'no_progress':
    case 'oscillation':
    case 'consecutive_failures':
    case 'repeated_error':
    case 'permission_denied':
      return judgeStreak(condition, facts);
    case 'all_tests_pass':
      return judgeAllTests(condition, facts);
    case 'specific_tests_pass':
      return judgeNamedTests(condition, facts);
    case 'file_created':
    case 'file_contains':
    case 'custom_script':
    case 'function':
    case 'protected_path_changed':
      return judgeProbe(condition, facts);
    case 'check_passes':
      return judgeCheck(condition, facts);
    case 'diff_exceeds':
      return judgeDiff(condition, facts);
    case 'output_pattern':
      return judgeOutput(condition, facts);
    case 'agent_reports_done':
    case 'agent_reports_blocked':
      return judgeClaim(condition, facts);
    case 'on_error':
      return judgeError(condition, facts);
    case 'user_signal':
      return judgeSignal(condition, facts);
    case 'retry_rate':
    case 'reject_rate':
      return judgeRate(condition, facts);
    case 'consecutive_fails':
      return judgeConsecutiveFails(condition, facts);
    case 'circuit_breaker':
      return judgeBreaker(condition, facts);
    default:
      return judgeComposite(condition, facts);
  }
}

type Composite = Extract<StopCondition, { readonly type: 'all' | 'any' | 'not' | 'for' | 'never' }>;

function judgeComposite(condition: Composite, facts: Facts): StopConditionResult {
  switch (condition.type) {
    case 'all':
      return combineAll(
        condition,
        condition.conditions.map((child) => judge(child, facts)),
      );
    case 'any':
      return combineAny(
        condition,
        condition.conditions.map((child) => judge(child, facts)),
      );
    case 'not':
      return negate(condition, judge(condition.condition, facts));
    case 'for':
      return hold(condition, judge(condition.condition, facts), facts);
    case 'never':
      return judgeNever(condition);
    default:
      return condition satisfies never;
  }
}
