import { describe, expect, it } from 'vitest';
import { policyEntries, withLimit } from '../../../../model/policy.js';
import { limitFields, withFigure } from './limit-field.js';

const policy = {
  success: [{ type: 'all_tests_pass' }],
  failure: [
    { type: 'no_progress', iterations: 5 },
    { type: 'circuit_breaker', attempts: 50 },
  ],
  limits: [
    { type: 'max_iterations', count: 25 },
    { type: 'max_cost', usd: 0.3 },
    { type: 'max_duration', duration: '90m' },
  ],
} as const;

describe('a limit that is set anew', () => {
  it('is one of the policy, with as much again suggested', () => {
    expect(limitFields(policy, []).map(({ label, suggested }) => [label, suggested])).toEqual([
      ['after 50 attempts in all', '100'],
      ['after 25 iterations', '50'],
      ['after $0.30', '0.6'],
      ['after 1h 30m of active time', '3h'],
    ]);
  });

  it('stays where it was first seen when it is set anew', () => {
    const order = policyEntries(policy).map(({ condition }) => condition.type);
    const before = limitFields(policy, order).map(({ key }) => key);
    const after = limitFields(withLimit(policy, { type: 'max_iterations', count: 90 }), order);
    expect(after.map(({ key }) => key)).toEqual(before);
    expect(after[1]?.label).toBe('after 90 iterations');
  });

  it('takes what is meant and nothing else', () => {
    const [iterations, cost, duration] = policy.limits;
    expect(withFigure(iterations, ' 1,000 ')).toEqual({ type: 'max_iterations', count: 1000 });
    expect(withFigure(cost, '$12.50')).toEqual({ type: 'max_cost', usd: 12.5 });
    expect(withFigure(duration, '2h')).toEqual({ type: 'max_duration', duration: '2h' });
    expect(withFigure(cost, '1,234.50')).toEqual({ type: 'max_cost', usd: 1234.5 });
    for (const typed of [
      '',
      '0',
      '-1',
      '3x',
      '1e9',
      'NaN',
      '∞',
      '7,5',
      '1,00',
      '1,0000',
      ',5',
      '1_000',
      '9'.repeat(400),
    ]) {
      expect(withFigure(iterations, typed)).toBeUndefined();
      expect(withFigure(cost, typed)).toBeUndefined();
    }
    expect(withFigure(duration, '90')).toBeUndefined();
    expect(withFigure({ type: 'deadline', at: '2027-01-01T00:00:00Z' }, 'tomorrow')).toBeUndefined();
  });
});
