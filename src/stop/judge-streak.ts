import type { ConditionOf } from '../model/condition.js';
import { type Unit, unitOf } from '../model/unit.js';
import { allPassed, failingTests } from '../model/test-results.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { count, plural, quote } from './figures.js';
import { reached, unknown } from './result.js';

type StreakCondition = ConditionOf<
  | 'test_failure_streak'
  | 'no_progress'
  | 'oscillation'
  | 'consecutive_failures'
  | 'repeated_error'
  | 'permission_denied'
>;

export function judgeStreak(condition: StreakCondition, facts: Facts): StopConditionResult {
  const { streaks } = facts;
  const unit = unitOf(facts);
  switch (condition.type) {
    case 'test_failure_streak': {
      const streak = condition.strict === true ? streaks.strictTestFailures : streaks.testFailures;
      const what = condition.strict === true ? 'with failing tests' : rowText(facts);
      return reached(condition, streak, condition.count, inARow(condition.count, unit, what));
    }
    case 'no_progress': {
      const judged = reached(
        condition,
        streaks.withoutProgress,
        condition.iterations,
        inARow(condition.iterations, unit, 'without progress'),
      );
      if (judged.isMet || streaks.unknown?.progress !== true) return judged;
      return unknown(condition, 'whether the last iteration made progress is not known: its changes were not observed');
    }
    case 'consecutive_failures':
      return reached(condition, streaks.failures, condition.count, inARow(condition.count, unit, 'failed'));
    case 'oscillation': {
      const sentence = (value: number) => `${count(value)} of ${plural(condition.count, 'return')} to an earlier tree`;
      const judged = reached(condition, streaks.oscillations, condition.count, sentence);
      if (judged.isMet || streaks.unknown?.tree !== true) return judged;
      return unknown(condition, 'whether the last iteration returned to an earlier tree is not known');
    }
    case 'repeated_error': {
      const last = streaks.lastError === undefined ? '' : `: ${quote(streaks.lastError.message)}`;
      const sentence = (value: number) =>
        `the same error ${count(value)} of ${plural(condition.count, 'time')} in a row${last}`;
      return reached(condition, streaks.sameError, condition.count, sentence);
    }
    case 'permission_denied': {
      const sentence = (value: number) => `${count(value)} of ${plural(condition.count, 'denial')} in a row`;
      return reached(condition, streaks.denials, condition.count, sentence);
    }
    default:
      return condition satisfies never;
  }
}

function inARow(limit: number, unit: Unit, what: string): (value: number) => string {
  return (value) => `${count(value)} of ${plural(limit, unit)} in a row ${what}`;
}

/** Where nothing is counted, nobody knows how many tests fail. */
function rowText({ tests }: Facts): string {
  const isCounted = tests === undefined || allPassed(tests) || failingTests(tests) !== undefined;
  return isCounted ? 'without a new low of failing tests' : 'with failing tests that print the same';
}
