import type { ConditionOf } from '../model/condition.js';
import { unitOf } from '../model/unit.js';
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
      const what = condition.strict === true ? 'tests failed in' : rowText(facts);
      return reached(
        condition,
        streak,
        condition.count,
        (value) => `${what} ${ofLimit(value, condition.count, unit)}${condition.strict === true ? ' in a row' : ''}`,
      );
    }
    case 'no_progress': {
      const judged = reached(
        condition,
        streaks.withoutProgress,
        condition.iterations,
        (value) => `no progress for ${ofLimit(value, condition.iterations, unit)}`,
      );
      if (judged.isMet || streaks.unknown?.progress !== true) return judged;
      return unknown(condition, 'whether the last iteration made progress is not known: its changes were not observed');
    }
    case 'consecutive_failures':
      return reached(
        condition,
        streaks.failures,
        condition.count,
        (value) => `${ofLimit(value, condition.count, unit)} in a row failed`,
      );
    case 'oscillation': {
      const sentence = (value: number) => {
        const returned = `returned to an earlier state ${ofLimit(value, condition.count, 'time')}`;
        return value < condition.count ? returned : `the agent keeps undoing its own work (${returned})`;
      };
      const judged = reached(condition, streaks.oscillations, condition.count, sentence);
      if (judged.isMet || streaks.unknown?.tree !== true) return judged;
      return unknown(condition, 'whether the last iteration returned to an earlier state is not known');
    }
    case 'repeated_error': {
      const last = streaks.lastError === undefined ? '' : `: ${quote(streaks.lastError.message)}`;
      const sentence = (value: number) => `the same error ${ofLimit(value, condition.count, 'time')} in a row${last}`;
      return reached(condition, streaks.sameError, condition.count, sentence);
    }
    case 'permission_denied': {
      const sentence = (value: number) => `permission denied ${ofLimit(value, condition.count, 'time')} in a row`;
      return reached(condition, streaks.denials, condition.count, sentence);
    }
    default:
      return condition satisfies never;
  }
}

/** `2 of 5 iterations`; a limit that is reached is not repeated: `5 iterations`. */
function ofLimit(value: number, limit: number, noun: string): string {
  return value < limit ? `${count(value)} of ${plural(limit, noun)}` : plural(value, noun);
}

/** Where nothing is counted, nobody knows how many tests fail. */
function rowText({ tests }: Facts): string {
  const isCounted = tests === undefined || allPassed(tests) || failingTests(tests) !== undefined;
  return isCounted ? 'tests did not improve for' : 'failing tests printed the same for';
}
