import { describe, expect, it } from 'vitest';
import { baseline, type Draft, iteration, started, stateAfter, tests } from '../../test/support/record.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import type { TestResults } from './test-results.js';

const STREAK = { type: 'test_failure_streak', count: 5 } as const;
const uncounted = (exitCode: number, output?: string): TestResults => ({
  source: 'harness',
  exitCode,
  details: [],
  output,
});

/** The verdict after iterations with these tests. */
function verdictAfter(before: TestResults, ...after: readonly TestResults[]) {
  const drafts: Draft[] = [started({ failure: [STREAK] }), baseline({ tests: before })];
  for (const [index, each] of after.entries()) drafts.push(...iteration(index + 1, { tests: each }));
  return evaluateRun(stateAfter(...drafts));
}

describe('tests that cannot be run any more', () => {
  const gone = uncounted(127, 'sh: 1: jest: not found');

  it.each<[string, TestResults, string]>([
    ['whose program is gone', gone, 'exit code 127'],
    ['that find no test and pass', tests(0, 0), 'no tests were found'],
    ['that find no test and fail', uncounted(1, 'No test files found, exiting with code 1'), 'no tests were found'],
    ['of pytest without a test', { ...tests(0, 0), exitCode: 5 }, 'no tests were found'],
  ])('%s end the run after the second time, with that reason', (_, lost, why) => {
    expect(verdictAfter(tests(3, 2), lost).stop).toBe(false);
    expect(verdictAfter(tests(3, 2), lost, lost)).toMatchObject({
      class: 'blocked',
      reasons: [{ path: 'tests', message: expect.stringContaining(why) }],
    });
  });

  it('do not count as failing tests', () => {
    const verdict = verdictAfter(tests(3, 2), tests(3, 2), tests(3, 2), tests(3, 2), tests(3, 2), gone);
    expect(verdict).toMatchObject({ stop: false, judgements: [{ progress: 0.8 }] });
  });

  it('end nothing when they run again, did not run at the start, or only do not build', () => {
    expect(verdictAfter(tests(3, 2), gone, tests(3, 2), gone).stop).toBe(false);
    expect(verdictAfter(tests(0, 0), tests(0, 0), tests(0, 0)).stop).toBe(false);
    const broken = { ...tests(0, 0), exitCode: 1 };
    expect(verdictAfter(tests(3, 2), broken, broken).stop).toBe(false);
  });
});

describe('failing tests that report only an exit code', () => {
  const times = (count: number, make: (index: number) => TestResults) =>
    Array.from({ length: count }, (_, i) => make(i));
  const red = uncounted(1, 'line 3: expected 4');

  it('and print nothing do not end a run as tests that do not get fewer', () => {
    expect(verdictAfter(uncounted(1), ...times(9, () => uncounted(1))).stop).toBe(false);
  });

  it('and print something else each time do not either', () => {
    const changing = times(9, (index) => uncounted(1, `expected ${index} more`));
    expect(verdictAfter(red, ...changing).stop).toBe(false);
  });

  it('and print the same, but for times, end the run, with a reason that says so', () => {
    const same = times(5, (index) => uncounted(1, `line 3: expected 4 (${index}.2 s) at 10:0${index}:00`));
    const before = uncounted(1, 'line 3: expected 4 (9 s) at 11:11:11');
    expect(verdictAfter(before, ...same.slice(1)).stop).toBe(false);
    expect(verdictAfter(before, ...same)).toMatchObject({
      class: 'failure',
      reasons: [{ message: expect.stringMatching(/tests.*same.*5 iterations/) }],
    });
  });

  it('after tests that were counted still count', () => {
    expect(verdictAfter(tests(3, 2), red, red, red, red, red)).toMatchObject({ class: 'failure' });
  });
});
