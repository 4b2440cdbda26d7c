import { describe, expect, it } from 'vitest';
import { originalsAfter, originalsProblem, type OriginalTests } from './original-tests.js';
import type { TestDetail, TestResults } from './test-results.js';

const named = (
  details: Readonly<Record<string, TestDetail['status']>>,
  more: Partial<TestResults> = {},
): TestResults => {
  const all = Object.entries(details).map(([name, status]) => ({ name, status }));
  const of = (status: TestDetail['status']) => all.filter((one) => one.status === status).length;
  const counts = { total: all.length, passed: of('passed'), failed: of('failed'), skipped: of('skipped') };
  return { source: 'harness', exitCode: of('failed') > 0 ? 1 : 0, ...counts, details: all, ...more };
};
/** As pytest or vitest print them: totals, and only the names of those that fail. */
const counted = (passed: number, failing: readonly string[] = []): TestResults => ({
  ...named(Object.fromEntries(failing.map((name) => [name, 'failed'] as const))),
  total: passed + failing.length,
  passed,
});
const unchanged: OriginalTests = { changed: [] };
const changed = (tests: TestResults): OriginalTests => ({ changed: ['test/a.test.js'], tests, room: 'overlay' });

describe('work whose own tests pass', () => {
  const baseline = named({ a: 'passed', b: 'failed' });
  const green = named({ a: 'passed', b: 'passed' });

  it.each<[string, OriginalTests, TestResults, TestResults, RegExp | undefined]>([
    ['no test was changed', unchanged, green, baseline, undefined],
    ['the original tests pass', changed(green), named({ a: 'passed', renamed: 'passed' }), baseline, undefined],
    ['the original tests fail', changed(baseline), green, baseline, /^1 original test does not pass: b$/],
    [
      'an original test does not run',
      changed(named({ a: 'passed' })),
      green,
      baseline,
      /^1 of the 2 original tests ran/,
    ],
    [
      'a failing test was skipped',
      unchanged,
      named({ a: 'passed', b: 'skipped', c: 'passed' }),
      baseline,
      /failed before.*: b/,
    ],
    [
      'a failing test is gone, another is new',
      unchanged,
      named({ a: 'passed', c: 'passed' }),
      baseline,
      /failed before.*: b/,
    ],
    ['only failing tests have names', unchanged, counted(2), counted(1, ['b']), undefined],
    ['a suite without names fails', changed(counted(1, ['b'])), counted(2), counted(1, ['b']), /^1 original test/],
    ['the original tests hang', changed({ ...green, timedOut: true }), green, baseline, /timed out/],
    ['nothing is known of the start', unchanged, green, green, undefined],
    [
      'a test that passed is gone, another is new, and no test was changed',
      unchanged,
      { ...green, changes: { missing: { count: 1, names: ['a'] }, added: { count: 1, names: ['c'] }, digest: 'x' } },
      baseline,
      /^1 test that ran before does not run now: a; new: c$/,
    ],
    [
      'a test that passed is skipped now',
      unchanged,
      { ...green, changes: { skipped: { count: 1, names: ['a'] }, digest: 'x' } },
      baseline,
      /^1 test that ran before does not run now: a$/,
    ],
    [
      'names of missing tests are not recorded',
      unchanged,
      { ...green, changes: { missing: { count: 3, names: [] }, digest: 'x' } },
      baseline,
      /^3 tests that ran before do not run now: 3 tests whose names are not recorded$/,
    ],
    [
      'tests were renamed, and the original ones pass under their names',
      changed({ ...green, changes: { digest: 'x' } }),
      { ...green, changes: { missing: { count: 1, names: ['a'] }, added: { count: 1, names: ['c'] }, digest: 'y' } },
      baseline,
      undefined,
    ],
    [
      'the original tests pass, but one that is in a source file is gone',
      changed({ ...green, changes: { missing: { count: 1, names: ['inline'] }, digest: 'x' } }),
      green,
      baseline,
      /^1 original test that ran before does not run now: inline$/,
    ],
    [
      'tests were renamed that may change',
      { changed: [], mayChange: true },
      { ...green, changes: { missing: { count: 1, names: ['a'] }, digest: 'x' } },
      baseline,
      undefined,
    ],
    [
      'a file that could not be run at the start can be run',
      unchanged,
      named({ a: 'passed' }),
      { ...baseline, details: [{ name: 'test_b.py', status: 'error', isSuite: true }] },
      undefined,
    ],
  ])('%s', (_, original, tests, start, problem) => {
    const found = originalsProblem(original, tests, start);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});

describe('checks in a row', () => {
  const red = changed(named({ a: 'failed' }));
  const blind: OriginalTests = { changed: ['a'], unusable: 'no space' };

  it('count the same refusal, and begin again with another one', () => {
    const once = originalsAfter(undefined, red, 'a fails', 't1');
    const twice = originalsAfter(once, red, 'a fails', 't1');
    expect([once.refused, twice.refused]).toEqual([1, 2]);
    expect(originalsAfter(twice, red, 'b fails', 't2').refused).toBe(1);
    expect(originalsAfter(twice, unchanged, undefined, 't3')).toMatchObject({ refused: 0, unusable: 0 });
  });

  it('count a room that cannot be used apart from a refusal', () => {
    const once = originalsAfter(undefined, blind, 'no space', 't1');
    expect(once).toMatchObject({ refused: 0, unusable: 1 });
    expect(originalsAfter(once, blind, 'no space', 't2').unusable).toBe(2);
    expect(originalsAfter(once, red, 'a fails', 't2')).toMatchObject({ refused: 1, unusable: 0 });
  });
});
