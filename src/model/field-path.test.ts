import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELD_PATH, MANY_PATH, valuesAt } from './field-path.js';

const line: unknown = JSON.parse(
  '{"a":{"b":[{"t":"x"},{"t":null},{"u":1},{"t":"y"}]},"n":null,"0":"zero","l":["p","q"],"__proto__":{"polluted":1}}',
);

describe('a path', () => {
  it.each<[string, readonly unknown[]]>([
    ['a.b[0].t', ['x']],
    ['a.b[*].t', ['x', 'y']],
    ['a.b[9].t', []],
    ['a.b.t', []],
    ['a.b.length', []],
    ['0', ['zero']],
    ['l[1]', ['q']],
    ['l.1', []],
    ['n', []],
    ['n.x', []],
    ['toString', []],
    ['constructor.name', []],
    ['polluted', []],
    ['a.b[0].t.length', []],
  ])('%s leads to %j', (path, values) => {
    expect(valuesAt(line, path)).toEqual(values);
  });

  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '[0]',
    'a[]',
    'a[-1]',
    'a[x]',
    'a b',
    'a["b"]',
    '__proto__',
    'a.__proto__',
    '__proto__[0]',
  ])('is not %j', (text) => {
    expect(FIELD_PATH.test(text) || MANY_PATH.test(text)).toBe(false);
  });

  it('with every entry of a list is another kind', () => {
    expect([FIELD_PATH.test('a[*].b'), MANY_PATH.test('a[*].b')]).toEqual([false, true]);
    expect(FIELD_PATH.test('__proto__x.usage-total.$a.@b[0][1]')).toBe(true);
  });

  it('of any text leads somewhere or nowhere in any value, and throws nothing', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), fc.string({ unit: 'grapheme' }), (value, path) => {
        expect(Array.isArray(valuesAt(value, path))).toBe(true);
      }),
    );
  });
});
