import { describe, expect, it } from 'vitest';
import { tests } from '../../test/support/record.js';
import { isNewStreakLow, madeProgress, withTests } from './progress.js';
import { allPassed, failingTests, successRate, testsRan, type TestResults } from './test-results.js';

const uncounted = (more: Partial<TestResults>): TestResults => ({ source: 'harness', details: [], ...more });

describe('test results', () => {
  it.each([
    ['all green', tests(3, 0), true],
    ['one red', tests(3, 1), false],
    ['none ran', tests(0, 0), false],
    ['all skipped', tests(0, 0, { skipped: 5 }), false],
    ['green counts, red exit code', tests(3, 0, { exitCode: 1 }), false],
    ['red counts, green exit code', tests(3, 1, { exitCode: 0 }), false],
    ['timed out although green so far', tests(3, 0, { timedOut: true }), false],
    ['counts without an exit code', tests(3, 0, { exitCode: undefined }), true],
    ['nothing counted, exit 0', uncounted({ exitCode: 0 }), true],
    ['nothing counted, exit 1', uncounted({ exitCode: 1 }), false],
    ['nothing known', uncounted({}), false],
  ])('%s', (_, results, green) => expect(allPassed(results)).toBe(green));

  it('count what ran: skipped tests did not', () => {
    expect(testsRan(tests(3, 2, { skipped: 7, total: 12 }))).toBe(5);
    expect(testsRan(uncounted({ exitCode: 0 }))).toBeUndefined();
    expect(testsRan(uncounted({ passed: 3 }))).toBeUndefined();
    expect(testsRan(uncounted({ failed: 3 }))).toBeUndefined();
  });

  it('count failures, but not when the tests broke down without naming one', () => {
    expect(failingTests(tests(3, 2))).toBe(2);
    expect(failingTests(tests(3, 0, { exitCode: 1 }))).toBeUndefined();
    expect(failingTests(tests(0, 0, { exitCode: 1 }))).toBeUndefined();
    expect(failingTests(tests(3, 0))).toBe(0);
    expect(failingTests(uncounted({ exitCode: 1 }))).toBeUndefined();
    expect(failingTests(uncounted({ exitCode: 0 }))).toBe(0);
  });

  it('have a success rate', () => {
    expect(successRate(tests(3, 1))).toBe(75);
    expect(successRate(tests(0, 0))).toBe(100);
    expect(successRate(uncounted({ exitCode: 0 }))).toBeUndefined();
  });
});

describe('progress', () => {
  const record = { mostPassed: 5, fewestFailed: 3, ranAtFewestFailed: 8 };
  const files = (treeBefore: string, treeAfter: string, incomplete?: string[]) => ({
    treeBefore,
    treeAfter,
    created: [],
    modified: [],
    deleted: [],
    changedFiles: 0,
    changedLines: 0,
    incomplete,
  });

  it.each([
    ['the tree changed', { files: files('a', 'b') }, true],
    ['the tree is the same', { files: files('a', 'a') }, false],
    ['the tree is the same, but part of it could not be read', { files: files('a', 'a', ['x']) }, undefined],
    ['the tree is the same, nothing was unreadable', { files: files('a', 'a', []) }, false],
    ['nothing was observed', {}, undefined],
    ['more tests pass than ever', { tests: tests(6, 4), files: files('a', 'a') }, true],
    ['as many pass as ever', { tests: tests(5, 4), files: files('a', 'a') }, false],
    [
      'fewer fail than ever and as many ran',
      { tests: tests(5, 2, { total: 8, passed: 6 }), files: files('a', 'a') },
      true,
    ],
    ['fewer fail than ever, but fewer ran', { tests: tests(5, 2), files: files('a', 'a') }, false],
    ['as few fail as ever', { tests: tests(5, 3), files: files('a', 'a') }, false],
    ['all tests still pass', { tests: tests(5, 0, { passed: 5 }), files: files('a', 'a') }, false],
    ['tests say nothing new and the files are not known', { tests: tests(5, 3) }, undefined],
    ['tests improved and the files are not known', { tests: tests(9, 3) }, true],
    ['tests were not counted', { tests: uncounted({ exitCode: 1 }), files: files('a', 'a') }, false],
  ])('%s', (_, observation, expected) => expect(madeProgress(observation, record)).toBe(expected));

  it('in failing tests alone needs as many to have run', () => {
    const many = { mostPassed: 9, fewestFailed: 3, ranAtFewestFailed: 8 };
    const of = (results: TestResults, known = many) => madeProgress({ tests: results, files: files('a', 'a') }, known);
    expect(of(tests(6, 2))).toBe(true);
    expect(of(tests(7, 2))).toBe(true);
    expect(of(tests(5, 2))).toBe(false);
    expect(of(tests(6, 3))).toBe(false);
    expect(of(tests(6, 2), { ...many, fewestFailed: undefined as never })).toBe(false);
    expect(of(uncounted({ exitCode: 0 }))).toBe(false);
    expect(of(tests(9, 4), { ...many, mostPassed: undefined as never })).toBe(false);
    expect(of(uncounted({ failed: 1, exitCode: 1 }), { ...many, ranAtFewestFailed: undefined as never })).toBe(true);
  });

  it('cannot be seen in the first result of all', () => {
    expect(madeProgress({ tests: tests(5, 0), files: files('a', 'a') }, {})).toBe(false);
    expect(isNewStreakLow(tests(5, 3), {})).toBe(false);
    expect(isNewStreakLow(tests(5, 2), { streakLow: 3 })).toBe(true);
    expect(isNewStreakLow(tests(5, 3), { streakLow: 3 })).toBe(false);
    expect(isNewStreakLow(uncounted({ exitCode: 1 }), { streakLow: 3 })).toBe(false);
    expect(isNewStreakLow(uncounted({ exitCode: 1 }), {})).toBe(false);
  });

  it('sets a record that only gets better', () => {
    expect(withTests({}, tests(4, 4))).toMatchObject({ mostPassed: 4, fewestFailed: 4, ranAtFewestFailed: 8 });
    expect(withTests(record, tests(4, 4))).toMatchObject(record);
    expect(withTests(record, tests(7, 2))).toMatchObject({ mostPassed: 7, fewestFailed: 2, ranAtFewestFailed: 9 });
    expect(withTests(record, uncounted({ exitCode: 1 }))).toMatchObject(record);
    expect(withTests(record, tests(4, 3))).toMatchObject(record);
  });

  it('keeps the low of a row of red results until all pass, or more tests run', () => {
    const row = { streakLow: 3, mostRanInStreak: 8 };
    expect(withTests({}, tests(5, 3))).toMatchObject(row);
    expect(withTests(row, tests(4, 4))).toMatchObject(row);
    expect(withTests(row, tests(6, 2))).toMatchObject({ streakLow: 2 });
    expect(withTests(row, tests(4, 5))).toMatchObject({ streakLow: 5, mostRanInStreak: 9 });
    expect(withTests(row, uncounted({ exitCode: 1 }))).toMatchObject(row);
    expect(withTests(row, tests(8, 0)).streakLow).toBeUndefined();
  });
});
