import { describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { evaluateStopConditions } from './evaluate-stop-conditions.js';
import { StopConditionsSchema } from './stop-conditions-schema.js';
import { calculateRejectRate, calculateRetryRate, type FrameRunState } from './story-state.js';

type Frame = readonly [status: string, attempts?: number];

/** The story's state: items in the order in which they ended. */
function stateOf(...frames: readonly Frame[]): FrameRunState {
  const entries = frames.map(([status, attempts = 1], index) => [
    `frame-${index}`,
    { status, attempts: Array.from({ length: attempts }, () => ({})) },
  ]);
  return { frame_states: Object.fromEntries(entries) as FrameRunState['frame_states'] };
}

const many = (count: number, ...frame: Frame): readonly Frame[] => Array.from({ length: count }, () => frame);

describe('the rates', () => {
  it('are 0 when no item is finished', () => {
    for (const state of [stateOf(), stateOf(['pending', 0], ['in_progress', 2])]) {
      expect(calculateRetryRate(state)).toBe(0);
      expect(calculateRejectRate(state)).toBe(0);
      expect(evaluateStopConditions(state)).toBeNull();
    }
  });

  it('count finished items only, and rejected and failed alike', () => {
    const state = stateOf(['approved'], ['approved', 3], ['rejected'], ['failed', 5], ['pending', 4]);
    expect(calculateRetryRate(state)).toBe(0.5);
    expect(calculateRejectRate(state)).toBe(0.5);
  });
});

describe('halting', () => {
  it.each([
    [49, null],
    [50, null],
    [51, 'RETRY_RATE'],
  ])('[c17] [c25] above half of the items with retries, not at it: %i of 100 is %s', (retried, condition) => {
    const state = stateOf(...many(retried, 'approved', 2), ...many(100 - retried, 'approved'));
    expect(evaluateStopConditions(state, { circuit_breaker: 1000 })?.condition ?? null).toBe(condition);
  });

  it.each([
    [29, null],
    [30, null],
    [31, 'REJECT_RATE'],
  ])('[c18] [c26] above 30 % rejected or failed, not at it: %i of 100 is %s', (bad, condition) => {
    const failed = Math.floor(bad / 2);
    const frames = [...many(bad - failed, 'rejected'), ...many(failed, 'failed'), ...many(100 - bad, 'approved')];
    expect(evaluateStopConditions(stateOf(...frames))?.condition ?? null).toBe(condition);
  });

  it.each([
    [2, null],
    [3, 'CONSECUTIVE_FAILS'],
    [4, 'CONSECUTIVE_FAILS'],
  ])('[c19] [c27] at the third fail in a row: %i is %s', (fails, condition) => {
    const state = stateOf(...many(20, 'approved'), ...many(fails, 'failed'));
    expect(evaluateStopConditions(state)?.condition ?? null).toBe(condition);
  });

  it('an approved item ends a row of fails', () => {
    const state = stateOf(...many(20, 'approved'), ...many(2, 'failed'), ['approved'], ['rejected']);
    expect(evaluateStopConditions(state)).toBeNull();
    expect(evaluateStopConditions({ ...state, consecutive_fail_count: 3 })?.condition).toBe('CONSECUTIVE_FAILS');
  });

  it.each([
    [49, null],
    [50, 'CIRCUIT_BREAKER'],
    [51, 'CIRCUIT_BREAKER'],
  ])('at the last attempt of the breaker: %i of 50 is %s', (attempts, condition) => {
    const state = stateOf(...many(20, 'approved'), ['in_progress', attempts - 20]);
    expect(evaluateStopConditions(state)?.condition ?? null).toBe(condition);
  });

  it('a breaker that nobody wrote leaves room for a large batch', () => {
    const state = stateOf(...many(100, 'approved'));
    expect(evaluateStopConditions(state)).toBeNull();
    expect(evaluateStopConditions(state, { circuit_breaker: 100 })?.condition).toBe('CIRCUIT_BREAKER');
  });

  it('names the first by priority: breaker, consecutive fails, reject rate, retry rate', () => {
    const all = stateOf(['approved', 2], ...many(3, 'failed', 5));
    const config = { circuit_breaker: 17, max_consecutive_fails: 3 };
    expect(evaluateStopConditions(all, config)?.condition).toBe('CIRCUIT_BREAKER');
    expect(evaluateStopConditions(all, { ...config, circuit_breaker: 18 })?.condition).toBe('CONSECUTIVE_FAILS');
    expect(evaluateStopConditions(all, { max_consecutive_fails: 4 })?.condition).toBe('REJECT_RATE');
    expect(evaluateStopConditions(all, { max_consecutive_fails: 4, max_reject_rate: 1 })?.condition).toBe('RETRY_RATE');
    expect(evaluateStopConditions(all, { max_consecutive_fails: 4, max_reject_rate: 1, max_retry_rate: 1 })).toBeNull();
  });

  it('tells value, threshold and a sentence', () => {
    const state = stateOf(...many(5, 'approved'), ['rejected'], ['failed'], ['rejected'], ['approved']);
    expect(evaluateStopConditions({ ...state, consecutive_fail_count: 0 })).toEqual({
      condition: 'REJECT_RATE',
      value: 3 / 9,
      threshold: 0.3,
      message: 'Reject rate 33.3% exceeds 30% threshold',
    });
  });

  it('rates count from min_items on', () => {
    const state = stateOf(['rejected'], ['approved']);
    expect(evaluateStopConditions(state)?.condition).toBe('REJECT_RATE');
    expect(evaluateStopConditions(state, { min_items: 3 })).toBeNull();
  });
});

describe('the thresholds', () => {
  it('[c24] [c30] are 0.5, 0.3 and 3 unless they are written', () => {
    const defaults = { max_retry_rate: 0.5, max_reject_rate: 0.3, max_consecutive_fails: 3, min_items: 1 };
    expect(StopConditionsSchema.parse({})).toEqual(defaults);
    expect(StopConditionsSchema.parse({ max_retry_rate: 0.1 })).toEqual({ ...defaults, max_retry_rate: 0.1 });
  });

  it.each([
    { max_retry_rate: 1.1 },
    { max_reject_rate: -0.1 },
    { max_consecutive_fails: 0 },
    { max_consecutive_fails: 1.5 },
    { max_reject_rate: '0.3' },
    { max_reject_rte: 0.3 },
    'half',
    null,
  ])('refuse %j', (input) => {
    expect(() => StopConditionsSchema.parse(input)).toThrow(ConfigError);
    expect(StopConditionsSchema.safeParse(input).success).toBe(false);
    expect(StopConditionsSchema['~standard'].validate(input)).toHaveProperty('issues');
  });

  it('0 allows none, 1 allows all', () => {
    const one = stateOf(...many(99, 'approved'), ['rejected']);
    expect(evaluateStopConditions(one, { max_reject_rate: 0 })?.condition).toBe('REJECT_RATE');
    const all = stateOf(...many(9, 'rejected'));
    expect(evaluateStopConditions(all, { max_reject_rate: 1, max_consecutive_fails: 10 })).toBeNull();
  });
});

it('one item, and one attempt, are not called several', () => {
  const attempts = [{}];
  const state = { frame_states: { a: { status: 'rejected', attempts } } };
  const { message } = evaluateStopConditions(state, { max_consecutive_fails: 1 }) ?? {};
  expect(message).toMatch(/^1 item .*was rejected, 1 halts /);
});
