import { describe, expect, it } from 'vitest';
import { areDoubtful, betterOf, type TestDetail, type TestResults } from './test-results.js';

const detail = (name: string, status: TestDetail['status']): TestDetail => ({ name, status });

/** Every test is named; `failing` are those that fail. */
function named(names: string, failing: string): TestResults {
  const details = Array.from(names).map((name) => detail(name, failing.includes(name) ? 'failed' : 'passed'));
  return countsOf(names, failing, details);
}

/** As many runners print it: only those that fail are named. */
function failuresNamed(names: string, failing: string): TestResults {
  return countsOf(
    names,
    failing,
    Array.from(failing).map((name) => detail(name, 'failed')),
  );
}

function countsOf(names: string, failing: string, details: readonly TestDetail[]): TestResults {
  const [passed, failed] = [names.length - failing.length, failing.length];
  return {
    source: 'harness',
    exitCode: failed === 0 ? 0 : 1,
    total: names.length,
    passed,
    failed,
    skipped: 0,
    details,
  };
}

describe.each([
  ['every test is named', named],
  ['only failing tests are named', failuresNamed],
])('failing tests, where %s', (_, results) => {
  it('are doubtful when they passed before', () => {
    expect(areDoubtful(results('abcd', 'b'), results('abcd', ''), false)).toBe(true);
    expect(areDoubtful(results('abcd', 'b'), results('abcd', 'cd'), false)).toBe(true);
  });

  it('are not when they failed before, are many, or nothing is known', () => {
    expect(areDoubtful(results('abcd', 'b'), results('abcd', 'bc'), false)).toBe(false);
    expect(areDoubtful(results('abcd', 'bc'), results('abcd', 'cd'), false)).toBe(false);
    expect(areDoubtful(results('abcde', 'abcd'), results('abcde', ''), false)).toBe(false);
    expect(areDoubtful(results('abcd', 'b'), undefined, false)).toBe(false);
    expect(areDoubtful(results('abcd', ''), results('abcd', ''), true)).toBe(false);
  });

  it('are not when they are new', () => {
    expect(areDoubtful(results('abcde', 'e'), results('abcd', ''), false)).toBe(false);
  });

  it('are when only one fails and the agent says that it is done', () => {
    expect(areDoubtful(results('abcd', 'b'), results('abcd', 'b'), true)).toBe(true);
    expect(areDoubtful(results('abcd', 'bc'), results('abcd', 'bc'), true)).toBe(false);
  });

  it('count as the better of two runs, with the names of those that failed by chance', () => {
    expect(betterOf(results('abcd', 'b'), results('abcd', ''))).toMatchObject({ failed: 0, flaky: ['b'] });
    expect(betterOf(results('abcd', 'bc'), results('abcd', 'c'))).toMatchObject({ failed: 1, flaky: ['b'] });
    expect(betterOf(results('abcd', 'b'), results('abcd', 'b'))).toMatchObject({ failed: 1, flaky: [] });
  });

  it('are not made better by a second run of fewer tests', () => {
    expect(betterOf(results('abcd', 'b'), results('a', ''))).toMatchObject({ failed: 1, flaky: [] });
  });
});
