import { describe, expect, it } from 'vitest';
import { isConditionShape } from './recorded-shapes.js';

const LIMIT = { type: 'max_iterations', count: 5 };

/** A condition that is `depth` conditions deep inside others. */
function nested(depth: number, around: (inner: object) => object): object {
  return Array.from({ length: depth }).reduce<object>(around, LIMIT);
}

describe('a recorded condition', () => {
  it.each([
    LIMIT,
    { type: 'not', condition: LIMIT },
    { type: 'any', conditions: [LIMIT, LIMIT] },
    { type: 'custom_script', script: 'check.sh' },
    { type: 'custom_script', script: 'check.sh', args: ['--all'] },
    { type: 'specific_tests_pass', tests: ['a', 'b'] },
  ])('is one: %j', (value) => {
    expect(isConditionShape(value)).toBe(true);
  });

  it.each([
    undefined,
    'max_iterations',
    [LIMIT],
    { type: 5 },
    { type: ['max_iterations'], count: 5 },
    { type: 'toString' },
    { type: 'max_iterations' },
    { type: 'max_iterations', count: '5' },
    { type: 'not' },
    { type: 'not', condition: { type: 'nothing' } },
    { type: 'any', conditions: [LIMIT, { type: 'nothing' }] },
    { type: 'custom_script' },
    { type: 'custom_script', script: 'check.sh', args: '--all' },
    { type: 'custom_script', script: 'check.sh', args: ['--all', 5] },
    { type: 'specific_tests_pass', tests: ['a', 5] },
  ])('is none that a reader could use: %j', (value) => {
    expect(isConditionShape(value)).toBe(false);
  });

  it.each<[string, (inner: object) => object]>([
    ['not', (condition) => ({ type: 'not', condition })],
    ['all', (inner) => ({ type: 'all', conditions: [inner] })],
  ])('is read as deep as any config may be, and no deeper, inside %s', (_, around) => {
    expect(isConditionShape(nested(100, around))).toBe(true);
    expect(isConditionShape(nested(101, around))).toBe(false);
  });
});
