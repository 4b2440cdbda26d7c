import { moreWithWork, ofLimit, plural, weighted, unitOf } from '../figures.js';
import { reached } from '../judging/answer.js';
import type { Rule } from '../judging/condition-definition.js';
import { field, optional } from '../fields.js';
import { defineCondition, type ValuesOf } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { measure } from '../judging/measure.js';
import { allPassed, failingTests } from '../test-results.js';

const fields = { count: field.count, strict: optional(field.flag) };

type TestFailureStreak = ValuesOf<typeof fields>;

/** Stops after `count` red iterations in a row without a gain; `strict` counts every red one. */
export const testFailureStreak = defineCondition({
  type: 'test_failure_streak',
  // Since version 2 the low counts from when tests began to fail, or grew in number, not from the start of the run.
  // Since version 3 every gain breaks the streak, and iterations that write new code weigh less.
  // Since version 4 a claim to be done and more failures count in full, and rebuilding what passed counts half.
  version: 4,
  earlier: {
    1: ruleFor(
      ({ testFailuresV1, testFailures }) => testFailuresV1 ?? testFailures,
      ({ strictTestFailuresV1, strictTestFailures }) => strictTestFailuresV1 ?? strictTestFailures,
    ),
    2: ruleFor(({ testFailures }) => testFailures),
    // The state counts by the version of the run.
    3: {},
  },
  about:
    'this many iterations in a row ended with failing tests that did not improve; `strict` counts every iteration with failing tests',
  fields,
  make: (count: number, options: { strict?: boolean } = {}) => ({ count, strict: options.strict }),
  short: 'count',
  class: 'failure',
  priority: 70,
  where: 'loop',
  streak: true,
  needsDirectory: true,
  needs: () => ({ tests: 'all' }),
  ...ruleFor(({ redWeight, testFailures }) => redWeight ?? testFailures),
  describe: ({ count, strict }, unit) => {
    const after = `after ${plural(count, unit)} in a row with failing tests`;
    const patience = [...new Set([moreWithWork(count), 2 * count])].join(' to ');
    return strict === true ? after : `${after} that do not improve (${patience} while new code is written)`;
  },
  takesMore: (left, _condition, facts) =>
    `at least ${plural(Math.ceil(left), `more ${unitOf(facts)}`)} with failing tests`,
  iterationsNeeded: ({ count }) => count,
});

type StreakIn = (streaks: Facts['streaks']) => number | undefined;

/** The rule over a streak that the state counts. */
function ruleFor(
  streakIn: StreakIn,
  strictIn: StreakIn = ({ strictTestFailures }) => strictTestFailures,
): Required<Rule<TestFailureStreak>> {
  const streakOf = ({ strict }: TestFailureStreak, { streaks }: Facts) =>
    strict === true ? strictIn(streaks) : streakIn(streaks);
  return {
    judge: (condition, facts) => {
      const { count, strict } = condition;
      return reached(streakOf(condition, facts), count, (value) => {
        if (strict === true) return `tests failed in ${ofLimit(value, count, unitOf(facts))} in a row`;
        const { testFailures = value } = facts.streaks;
        const often = testFailures > value ? weighted(testFailures, value, count, unitOf(facts)) : undefined;
        return `${subject(facts)} ${often ?? ofLimit(value, count, unitOf(facts))}`;
      });
    },
    measure: (condition, facts) => measure(streakOf(condition, facts), condition.count, 'iterations'),
  };
}

/** Where nothing is counted, it is not known how many tests fail. */
function subject({ tests }: Facts): string {
  const isCounted = tests === undefined || allPassed(tests) || failingTests(tests) !== undefined;
  return isCounted ? 'tests did not improve for' : 'failing tests printed the same for';
}
