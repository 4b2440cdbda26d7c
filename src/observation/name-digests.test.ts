import { describe, expect, it } from 'vitest';
import type { TestDetail } from '../model/test-results.js';
import { MOST_NAMES, nameChanges, namesOf } from './name-digests.js';
import { gradeOf } from './parsed-tests.js';

const test = (name: string, status: TestDetail['status'] = 'passed', file?: string): TestDetail =>
  file === undefined ? { name, status } : { name, status, file };
const suite = (count: number) => Array.from({ length: count }, (_, index) => test(`test ${index}`));

/** How `now` differs from `before`, of which the record has the first details. */
function changes(before: readonly TestDetail[], now: readonly TestDetail[], recorded = 500) {
  const names = namesOf(before);
  if (names === undefined) throw new Error('too many names');
  return nameChanges(now, names, before.slice(0, recorded));
}

describe('tests compared by name with those of the start', () => {
  it('of 800 tests one that passed is gone and another is new, and the number is the same', () => {
    const now = [...suite(800).filter(({ name }) => name !== 'test 650'), test('another')];
    expect(changes(suite(800), now, 800)).toMatchObject({
      missing: { count: 1, names: ['test 650'] },
      added: { count: 1, names: ['another'] },
    });
  });

  it('a missing test whose name the record does not have is counted', () => {
    const now = suite(800).filter(({ name }) => name !== 'test 650');
    expect(changes(suite(800), now)).toMatchObject({ missing: { count: 1, names: [] } });
  });

  it('the same tests in another order are the same', () => {
    expect(changes(suite(800), suite(800).reverse())).toEqual({ digest: expect.any(String) });
  });

  it('a test that passed, or failed, and is skipped now did not run', () => {
    const before = [test('a'), test('b', 'failed'), test('c', 'skipped')];
    expect(changes(before, [test('a', 'skipped'), test('b', 'skipped'), test('c')])).toMatchObject({
      skipped: { count: 2, names: ['a', 'b'] },
    });
  });

  it('a changed parameter is one missing and one new test', () => {
    expect(changes([test('adds[1-2]')], [test('adds[1-3]')])).toMatchObject({
      missing: { count: 1, names: ['adds[1-2]'] },
      added: { count: 1, names: ['adds[1-3]'] },
    });
  });

  it('of tests that share a name in one file each counts', () => {
    const three = [test('works', 'passed', 'a'), test('works', 'passed', 'a'), test('works', 'passed', 'a')];
    expect(changes(three, three)).toEqual({ digest: expect.any(String) });
    expect(changes(three, three.slice(1))).toMatchObject({ missing: { count: 1 } });
    const skipped = [test('works', 'skipped', 'a'), ...three.slice(1)];
    expect(changes(three, skipped)).toMatchObject({ skipped: { count: 1, names: ['works'] } });
    expect(changes(skipped, [...three.slice(1), test('works', 'skipped', 'a')])).toEqual({
      digest: expect.any(String),
    });
  });

  it('a test that moves to another file is one missing and one new', () => {
    expect(changes([test('works', 'passed', 'a')], [test('works', 'passed', 'b')])).toMatchObject({
      missing: { count: 1 },
      added: { count: 1 },
    });
  });

  it('a file that could not be run is no test: it is not missed when it can', () => {
    const broken: TestDetail = { name: 'tests/test_a.py', status: 'error', isSuite: true };
    expect(changes([broken], [test('tests/test_a.py::test_x')])).toMatchObject({
      added: { count: 1, names: ['tests/test_a.py::test_x'] },
    });
    expect(changes([broken], [test('x')])).not.toHaveProperty('missing');
  });

  it('names may hold any characters', () => {
    const odd = ['é 🎉', 'a\tb', '', ' ', '__proto__', '\u0000', 'ファイル > 名前', 'x'.repeat(10_000)].map((name) =>
      test(name),
    );
    expect(changes(odd, odd)).toEqual({ digest: expect.any(String) });
    expect(changes(odd, odd.slice(1))).toMatchObject({ missing: { count: 1, names: ['é 🎉'] } });
  });

  it('100,000 tests take 800 KB, and more than that are compared by number', () => {
    const many = suite(MOST_NAMES);
    const names = namesOf(many);
    expect(names?.passed?.length).toBe(800_000);
    expect(nameChanges(many.slice(1), names ?? {}, [])).toMatchObject({ missing: { count: 1 } });
    const more = [...many, test('one more')];
    const parsed = { framework: 'x', total: more.length, passed: more.length, failed: 0, skipped: 0 };
    expect(namesOf(more)).toBeUndefined();
    expect(gradeOf({ ...parsed, details: more })).toBe('counted');
    expect(gradeOf({ ...parsed, passed: MOST_NAMES, details: many })).toBe('named');
  });
});

describe('the grade of a result', () => {
  const parsed = { framework: 'x', total: 2, passed: 1, failed: 1, skipped: 0 };
  it.each<[string, Parameters<typeof gradeOf>[0], string]>([
    ['every test that ran has a name', { ...parsed, details: [test('a'), test('b', 'failed')] }, 'named'],
    ['only failing tests have a name', { ...parsed, details: [test('b', 'failed')] }, 'counted'],
    [
      'more names than tests: one of them is not a test',
      { ...parsed, details: [...suite(2), test('b', 'failed')] },
      'counted',
    ],
    ['nothing could be read', undefined, 'exit-code'],
  ])('%s', (_, tests, grade) => expect(gradeOf(tests)).toBe(grade));
});
