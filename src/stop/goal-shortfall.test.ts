import { describe, expect, it } from 'vitest';
import { condition } from '../../test/support/facts.js';
import { begin, type Draft, end, iteration, started, stateAfter, tests } from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import type { Policy } from '../model/policy.js';
import { evaluateRun } from './evaluate-policy.js';
import { goalShortfall } from './goal-shortfall.js';

const success = [condition('all_tests_pass'), condition({ file_created: 'DONE.md' })];
const guard = condition({ protected_path_changed: 'test/**' });
const over = (more: Partial<Extract<Draft, { type: 'run-ended' }>> = {}): Draft => ({
  type: 'run-ended',
  state: 'stopped',
  class: 'limit',
  reasons: [],
  ...more,
});

/** A run that was judged after each iteration, and ended. */
function shortfall(policy: Partial<Policy>, drafts: readonly Draft[], ended: Draft | undefined = over()) {
  const verdict = evaluateRun(stateAfter(started(policy), ...drafts));
  const judged: Draft = { type: 'verdict-reached', iteration: 1, verdict };
  return goalShortfall(stateAfter(started(policy), ...drafts, judged, ...(ended === undefined ? [] : [ended])));
}

describe('why a run that ended without its goal is not done', () => {
  const red = iteration(1, { tests: tests(1, 2) });
  const green = iteration(1, { tests: tests(3, 0) });

  it('is each goal in a sentence', () => {
    expect(shortfall({ success, limits: [condition({ max_iterations: 1 })] }, red)).toEqual([
      '2 of 3 tests fail',
      expect.stringContaining('DONE.md'),
    ]);
  });

  it('is nothing of a run that is done, or that has no goal', () => {
    expect(shortfall({ success }, red, over({ state: 'completed', class: 'goal' }))).toEqual([]);
    expect(shortfall({ success }, red, over({ class: 'goal' }))).toEqual([]);
    expect(shortfall({ success }, red, over({ state: 'completed', class: undefined }))).toEqual([]);
    expect(shortfall({ limits: [condition({ max_iterations: 1 })] }, red)).toEqual([]);
    expect(shortfall({ success }, red, undefined)).toHaveLength(2);
  });

  it('is that of the last verdict, and of now where a run broke or has not ended', () => {
    const goals = { success: [condition('all_tests_pass')] };
    const later = [begin(2), end(2, { observation: { tests: tests(2, 1) } })];
    const verdict = evaluateRun(stateAfter(started(goals), ...red));
    const judged = [started(goals), ...red, { type: 'verdict-reached', iteration: 1, verdict } as const, ...later];
    expect(goalShortfall(stateAfter(...judged, over()))).toEqual(['2 of 3 tests fail']);
    expect(goalShortfall(stateAfter(...judged, over({ state: 'error' })))).toEqual(['1 of 3 tests fail']);
    expect(goalShortfall(stateAfter(...judged))).toEqual(['1 of 3 tests fail']);
    expect(goalShortfall(stateAfter(started(goals), ...red, over()))).toEqual([]);
  });

  it('explains a goal that is met and does not count: a rejection, or a guard that could not be checked', () => {
    const goals = { success: [condition('all_tests_pass')], failure: [guard] };
    const guarded = (met: boolean) => ({ probes: { [conditionKey(guard)]: { met } }, tests: tests(3, 0) });
    expect(shortfall(goals, iteration(1, guarded(true)))[0]).toMatch(/^all 3 tests pass, but a rejection/);
    expect(shortfall(goals, green)[0]).toMatch(/^all 3 tests pass, but a guard .*: .*test\/\*\*/);
    expect(shortfall(goals, iteration(1, guarded(false)))).toEqual(['all 3 tests pass']);
  });

  it('explains that goals do not count before --at-least', () => {
    const goals = { success: [condition('all_tests_pass')] };
    expect(shortfall({ ...goals, atLeast: 3 }, green)[0]).toMatch(/^all 3 tests pass, but .*after 3 iterations$/);
    expect(shortfall({ ...goals, atLeast: 1 }, green)).toEqual(['all 3 tests pass']);
    expect(shortfall({ ...goals, atLeast: 3 }, red)).toEqual(['2 of 3 tests fail']);
  });
});
