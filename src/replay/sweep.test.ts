import { describe, expect, it } from 'vitest';
import type { StopCondition } from '../model/condition.js';
import { maxCost, maxIterations, noProgress, testFailureStreak } from '../stop/conditions.js';
import { parseSweep, sweepCandidates, withCondition } from './sweep.js';

const valuesOf = (text: string) => parseSweep(text).values.map((value) => value.text);

describe('the values of a sweep', () => {
  it.each([
    ['no_progress: 2..5', ['2', '3', '4', '5']],
    ['no_progress:5,2,3,2', ['2', '3', '5']],
    ['max_iterations: 10..100/30', ['10', '40', '70', '100']],
    ['max_cost: $1..$2/$0.25', ['$1', '$1.25', '$1.5', '$1.75', '$2']],
    ['max_cost: 0.1..0.5/0.1', ['$0.1', '$0.2', '$0.3', '$0.4', '$0.5']],
    ['max_duration: 30m..2h/30m', ['30m', '1h', '1h 30m', '2h']],
    ['max_duration: 90s, 1h 30m', ['1m 30s', '1h 30m']],
    ['reject_rate: 0.1..0.3', ['0.1', '0.2', '0.3']],
    ['context_above: 70,85', ['70%', '85%']],
    ['no_progress: 3', ['3']],
  ])('%s', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it.each([
    ['', /names no condition/],
    ['2..10', /names no condition/],
    ['no_progres: 2..10', /unknown condition "no_progres".*no_progress/],
    ['all_tests_pass: 1', /has no figure to try/],
    ['no_progress', /values are missing/],
    ['no_progress: ten', /"ten" is not a value/],
    ['no_progress: 2..x', /"x" is not a value/],
    ['no_progress: 9..2', /ends before it begins/],
    ['no_progress: 1..9/0', /step "0" is not a value above 0/],
    ['no_progress: 0..3', /no_progress.iterations: must be/],
    ['no_progress: 2..3/0.5', /must be/],
    ['no_progress: 1..100000', /100000 values; at most 200/],
    ['max_duration: 1h..2h', /needs a step/],
    ['max_duration: 5', /"5" is not a value/],
    ['max_cost: -1..2', /"-1" is not a value/],
  ])('%s is refused', (text, message) => {
    expect(() => parseSweep(text)).toThrow(message);
  });

  it('are paired, but not without end', () => {
    const pair = sweepCandidates([parseSweep('no_progress: 2,3'), parseSweep('max_cost: 1,2')]);
    expect(pair.map(({ name }) => name)).toEqual(['2 $1', '2 $2', '3 $1', '3 $2']);
    const long = parseSweep('max_iterations: 1..100');
    expect(() => sweepCandidates([long, parseSweep('no_progress: 1..10')])).toThrow(/1000 pairs.*at most 400/);
    expect(() => sweepCandidates([long, long])).toThrow(/given twice/);
    expect(() => sweepCandidates([long, parseSweep('no_progress: 2'), parseSweep('max_cost: 2')])).toThrow(/one or 2/);
  });
});

describe('a condition put into a policy', () => {
  const policy = { success: [], failure: [testFailureStreak(3, { strict: true })], limits: [maxIterations(9)] };

  it('takes the place of its like, whose other fields stay', () => {
    expect(withCondition(policy, testFailureStreak(5)).failure).toEqual([
      { type: 'test_failure_streak', count: 5, strict: true },
    ]);
  });

  it('takes the place of all of its like, so that an older one does not decide', () => {
    const two = { ...policy, failure: [noProgress(2)], conditions: [noProgress(3), noProgress(4)] as StopCondition[] };
    expect(withCondition(two, noProgress(7))).toMatchObject({ failure: [noProgress(7)], conditions: [] });
  });

  it('stands beside the others of its class when there is none', () => {
    expect(withCondition(policy, maxCost(1)).limits).toEqual([maxIterations(9), maxCost(1)]);
    expect(withCondition(policy, noProgress(4)).failure).toHaveLength(2);
  });
});
