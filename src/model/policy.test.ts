import { describe, expect, it } from 'vitest';
import { parseCondition } from './parse-condition.js';
import { policyEntries, withLimit } from './policy.js';

const one = (input: unknown) => [parseCondition(input)];
const none = { success: [], failure: [], limits: [] };

describe('a policy', () => {
  it('gives every condition the class of its list', () => {
    const policy = { success: one('all_tests_pass'), failure: one({ no_progress: 5 }), limits: one({ max_cost: 1 }) };
    expect(policyEntries(policy).map(({ path, class: stopClass }) => `${path} ${stopClass}`)).toEqual([
      'stop.success[0] goal',
      'stop.failure[0] failure',
      'stop.limits[0] limit',
    ]);
    expect(policyEntries(policy)).toBe(policyEntries(policy));
  });

  it.each([
    ['all_tests_pass', 'goal'],
    [{ specific_tests_pass: 'a' }, 'goal'],
    [{ file_created: 'a' }, 'goal'],
    [{ file_contains: { path: 'a', content: 'b' } }, 'goal'],
    [{ output_pattern: 'a' }, 'goal'],
    [{ custom_script: 'a' }, 'goal'],
    [{ check_passes: 'a' }, 'goal'],
    [{ test_failure_streak: 1 }, 'failure'],
    [{ no_progress: 1 }, 'failure'],
    [{ oscillation: 1 }, 'failure'],
    [{ consecutive_failures: 1 }, 'failure'],
    [{ repeated_error: 1 }, 'failure'],
    ['on_error', 'failure'],
    [{ retry_rate: 1 }, 'failure'],
    [{ reject_rate: 1 }, 'failure'],
    [{ consecutive_fails: 1 }, 'failure'],
    [{ circuit_breaker: 1 }, 'failure'],
    [{ max_iterations: 1 }, 'limit'],
    [{ max_duration: '1s' }, 'limit'],
    [{ deadline: '2026-01-31T06:00:00Z' }, 'limit'],
    [{ max_tokens: 1 }, 'limit'],
    [{ max_input_tokens: 1 }, 'limit'],
    [{ max_output_tokens: 1 }, 'limit'],
    [{ max_cost: 1 }, 'limit'],
    [{ context_above: 1 }, 'limit'],
    [{ type: 'function', name: 'f' }, 'limit'],
    [{ all: ['all_tests_pass'] }, 'limit'],
    [{ any: ['all_tests_pass'] }, 'limit'],
    [{ not: 'all_tests_pass' }, 'limit'],
    [{ for: { iterations: 1, condition: 'all_tests_pass' } }, 'limit'],
    ['never', 'limit'],
    ['user_signal', 'operator'],
    [{ permission_denied: 1 }, 'blocked'],
    [{ protected_path_changed: 'a' }, 'veto'],
    [{ diff_exceeds: { files: 1 } }, 'veto'],
    [{ all: ['all_tests_pass'], class: 'goal' }, 'goal'],
    [{ max_iterations: 1, class: 'failure' }, 'failure'],
  ])('gives %j in a neutral list the class %s', (input, stopClass) => {
    expect(policyEntries({ ...none, conditions: one(input) })[0]).toMatchObject({
      path: 'stop.conditions[0]',
      class: stopClass,
    });
  });

  it.each([
    [{ protected_path_changed: 'a' }, 'veto'],
    [{ diff_exceeds: { files: 1 } }, 'veto'],
    [{ permission_denied: 1 }, 'blocked'],
    ['user_signal', 'operator'],
  ])('lets %j be %s wherever it stands', (input, stopClass) => {
    for (const list of ['success', 'failure', 'limits'] as const) {
      expect(policyEntries({ ...none, [list]: one(input) })[0]?.class).toBe(stopClass);
    }
  });

  it('replaces a limit wherever it stands', () => {
    const policy = { ...none, conditions: [parseCondition({ max_cost: 1 }), parseCondition('all_tests_pass')] };
    expect(withLimit(policy, parseCondition({ max_cost: 9 }))).toEqual({
      ...none,
      limits: [{ type: 'max_cost', usd: 9 }],
      conditions: [{ type: 'all_tests_pass' }],
    });
  });

  it.each([
    { type: 'max_cost', usd: 0 },
    { type: 'max_tokens', count: 0 },
    { type: 'max_duration', duration: '0s' },
  ] as const)('loses the limits of a type that is set to 0: $type', (limit) => {
    const before = {
      ...none,
      limits: [...one({ max_cost: 1 }), ...one({ max_tokens: 1 }), ...one({ max_duration: '1m' })],
    };
    const left = before.limits.filter(({ type }) => type !== limit.type);
    expect(withLimit(before, limit)).toEqual({ ...none, limits: left });
    expect(withLimit({ ...none, failure: one({ max_cost: 1 }) }, { type: 'max_cost', usd: 0 })).toEqual(none);
  });

  it('adds a limit of a type that it did not have', () => {
    expect(withLimit(none, parseCondition({ max_cost: 1 })).limits).toEqual([{ type: 'max_cost', usd: 1 }]);
  });
});
