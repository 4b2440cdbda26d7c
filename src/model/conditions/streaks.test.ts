import { describe, expect, it } from 'vitest';
import { line } from '../../../test/support/facts.js';
import { tests } from '../../../test/support/record.js';
import type { Facts } from '../judging/facts.js';

type Streaks = Facts['streaks'];

describe('tests that do not improve', () => {
  const streak = (streaks: Streaks, more: Partial<Facts> = {}, input: unknown = { test_failure_streak: 3 }) =>
    line(input, { streaks, ...more });
  const strict = { test_failure_streak: { count: 3, strict: true } };

  it('weigh less in iterations that write something new, and that is said', () => {
    expect(streak({ testFailures: 3, redWeight: 2 })).toMatch(/^not-met 0\.67: .* 3 iterations \(counted as 2 of 3/);
    expect(streak({ testFailures: 5, redWeight: 3 })).toMatch(/^met 1: .* 5 iterations$/);
    expect(streak({ testFailures: 2, redWeight: 2 })).toMatch(/^not-met 0\.67: .* 2 of 3 iterations$/);
    expect(streak({ redWeight: 2 })).toMatch(/ 2 of 3 iterations$/);
  });

  it('count each red iteration with strict', () => {
    expect(streak({ strictTestFailures: 2, testFailures: 9, redWeight: 9 }, {}, strict)).toMatch(
      /^not-met 0\.67: tests failed in 2 of 3 iterations/,
    );
    expect(streak({ strictTestFailures: 2 }, { pipeline: {} as never }, strict)).toMatch(/2 of 3 attempts/);
    expect(streak({ testFailures: 1 }, { pipeline: {} as never })).toMatch(/1 of 3 attempts/);
  });

  it('are unknown where nothing was counted', () => {
    expect(streak({})).toMatch(/^unknown/);
    expect(streak({ testFailures: 3 }, {}, strict)).toMatch(/^unknown/);
  });

  it('printed the same where no test could be counted', () => {
    const uncounted = { source: 'harness', exitCode: 1, details: [] } as const;
    expect(streak({ testFailures: 1 }, { tests: uncounted })).toMatch(/failing tests printed the same for 1 of 3/);
    expect(streak({ testFailures: 1 }, { tests: tests(1, 1) })).toMatch(/tests did not improve for/);
    expect(streak({ testFailures: 0 }, { tests: tests(1, 0) })).toMatch(/tests did not improve for/);
    expect(streak({ testFailures: 0 }, { tests: { ...uncounted, exitCode: 0 } })).toMatch(/did not improve for/);
  });

  it('count by the version of the rule that the run was started with', () => {
    const counts = { testFailures: 2, testFailuresV1: 3, redWeight: 1, strictTestFailures: 2, strictTestFailuresV1: 3 };
    expect(streak(counts)).toMatch(/^not-met 0\.33/);
    expect(streak(counts, { rules: { test_failure_streak: 3 } })).toMatch(/^not-met 0\.33/);
    expect(streak(counts, { rules: { test_failure_streak: 2 } })).toMatch(/^not-met 0\.67/);
    expect(streak(counts, { rules: {} })).toMatch(/^met/);
    expect(streak(counts, { rules: {} }, strict)).toMatch(/^met/);
    expect(streak(counts, { rules: { test_failure_streak: 2 } }, strict)).toMatch(/^not-met 0\.67/);
  });

  it('count by what an old record holds, where it holds less', () => {
    expect(streak({ testFailures: 3 }, { rules: {} })).toMatch(/^met/);
    expect(streak({ strictTestFailures: 3 }, { rules: {} }, strict)).toMatch(/^met/);
  });
});

describe('a tool call that fails in the same way', () => {
  const failing = (count: number, weight = count, text = 'no such file') => ({ count, weight, text });
  const call = (toolFailures?: Streaks['toolFailures']) =>
    line({ same_tool_failure: 3 }, { streaks: { toolFailures } });

  it('is counted, and named with its words', () => {
    expect(call({ x: failing(2) })).toBe(
      'not-met 0.67: a tool call failed in the same way in 2 of 3 iterations in a row: "no such file"',
    );
    expect(call({ x: failing(3) })).toMatch(/^met 1: .* 3 iterations in a row: "no such file"$/);
    expect(call({ x: failing(4, 2.5) })).toMatch(
      /^not-met 0\.83: .* 4 iterations \(counted as 2\.5 of 3.*"no such file"/,
    );
  });

  it('is that which weighs most', () => {
    expect(call({ a: failing(1, 1, 'first'), b: failing(3, 3, 'second'), c: failing(2, 2, 'third') })).toMatch(
      /"second"/,
    );
  });

  it('is none where no tool failed', () => {
    expect(call({})).toMatch(/^not-met 0: no tool call failed$/);
    expect(call()).toMatch(/^not-met 0: no tool call failed$/);
  });
});

describe('other streaks', () => {
  it('an agent that says it is done again and again', () => {
    expect(line({ false_done: 3 }, { streaks: { doneStreak: 2 } })).toBe(
      'not-met 0.67: the agent said that it is done (2 of 3 times in a row)',
    );
    expect(line({ false_done: 3 }, { streaks: { doneStreak: 3 } })).toBe(
      'met 1: the agent said 3 times in a row that it is done, but it changed nothing new and no goal is met',
    );
    expect(line({ false_done: 3 }, {})).toBe('not-met 0: the agent has not said that it is done');
  });

  it('an oscillation that is reached is one, also when the tree of the last iteration is unknown', () => {
    expect(line({ oscillation: 2 }, { streaks: { oscillations: 2, unknown: { tree: true } } })).toMatch(/^met/);
    expect(line({ oscillation: 2 }, { streaks: { oscillations: 1, unknown: { progress: true } } })).toMatch(/^not-met/);
    expect(line({ no_progress: 2 }, { streaks: { withoutProgress: 1, unknown: { tree: true } } })).toMatch(/^not-met/);
    expect(line({ no_progress: 2 }, { streaks: { withoutProgress: 1 }, pipeline: {} as never })).toMatch(/2 attempts/);
    expect(line({ consecutive_failures: 2 }, { streaks: { failures: 1 }, pipeline: {} as never })).toMatch(
      /2 attempts/,
    );
  });
});
