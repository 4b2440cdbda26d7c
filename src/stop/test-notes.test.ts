import { describe, expect, it } from 'vitest';
import { condition } from '../../test/support/facts.js';
import { tests } from '../../test/support/record.js';
import { NEWEST_RULES } from '../model/condition-catalog.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { StopClass } from '../model/stop-class.js';
import type { TestResults } from '../model/test-results.js';
import { testNotes } from './summary-notes.js';

const notes = (more: Partial<RunState>, told = '') => testNotes({ ...INITIAL_STATE, ...more }, told);
const originals = (last: object, problem?: string) =>
  ({ last: { changed: [], ...last }, refused: 0, unusable: 0, problem }) as RunState['originals'];

describe('what the agent did to the tests', () => {
  it('is nothing where it left them alone', () => {
    expect(notes({})).toEqual([]);
    expect(notes({ testFiles: { 'a.test.ts': 'created' } })).toEqual([]);
    expect(notes({ originals: originals({}) })).toEqual([]);
  });

  it('names test files that it changed, unless the reason to stop names them all', () => {
    const testFiles = { 'a.test.ts': 'changed', 'b.test.ts': 'changed' } as const;
    expect(notes({ testFiles })).toEqual([expect.stringMatching(/2 test files: a\.test\.ts, b\.test\.ts$/)]);
    expect(notes({ testFiles: { 'a.test.ts': 'changed' } })).toEqual([expect.stringMatching(/a test file: a\.test/)]);
    expect(notes({ testFiles }, 'a.test.ts changed')).toHaveLength(1);
    expect(notes({ testFiles }, 'a.test.ts, b.test.ts changed')).toEqual([]);
  });

  it('names other files by which the tests run, each file once', () => {
    const seen = {
      testFiles: { 'a.test.ts': 'changed' },
      originals: originals({ changed: ['a.test.ts', 'jest.config.js'] }),
    };
    const [changed, others, ...more] = notes(seen as Partial<RunState>);
    expect(changed).toMatch(/a test file: a\.test\.ts$/);
    expect(others).toMatch(/how the tests run: jest\.config\.js$/);
    expect(more).toEqual([]);
  });

  it('says once that the original tests pass as well, where they were run and nothing speaks against it', () => {
    const PROOF = /; the original tests pass/;
    const testFiles = { 'a.test.ts': 'changed' } as const;
    const passed = { changed: ['jest.config.js'], tests: tests(3, 0) };
    const [changed, others] = notes({ testFiles, originals: originals(passed) });
    expect(changed).toMatch(PROOF);
    expect(others).not.toMatch(PROOF);
    expect(notes({ originals: originals(passed) })).toEqual([expect.stringMatching(PROOF)]);
    expect(notes({ originals: originals(passed, '1 original test does not pass') })[0]).not.toMatch(PROOF);
    expect(notes({ originals: originals({ changed: ['jest.config.js'] }) })[0]).not.toMatch(PROOF);
  });

  it('names lines that could fool the tests, with their place', () => {
    const flags = [
      { path: 'a.test.ts', line: 7, what: 'skips a test' },
      { path: 'b.ts', line: 9, what: 'exits the process' },
    ];
    expect(notes({ originals: originals({ flags }) })).toEqual([
      expect.stringMatching(/2 lines .*: a\.test\.ts:7 \(skips a test\), b\.ts:9 \(exits the process\)$/),
    ]);
  });
});

const ended = (stopClass: StopClass) =>
  ({
    name: 'ended',
    state: 'completed',
    end: { state: 'completed', class: stopClass, reasons: [] },
  }) as unknown as RunState['phase'];

it('an earlier run whose tests still count is named once this one has ended without its goal', () => {
  const baseline = { tree: 'a', earlier: { run: 'loop_01', tree: 'b' } };
  expect(notes({ baseline, phase: ended('limit') })).toEqual([expect.stringMatching(/^The original .* loop_01/)]);
  expect(notes({ baseline, phase: ended('goal') })).toEqual([]);
  expect(notes({ baseline })).toEqual([]);
});

describe('red tests that turned green', () => {
  const turned = (tree: string, before: TestResults | undefined = tests(2, 1), more: Partial<RunState> = {}) =>
    notes({
      phase: ended('goal'),
      iterations: 1,
      baseline: { tree: 'a', tests: before },
      trees: [tree],
      latest: { ...INITIAL_STATE.latest, observation: { tests: tests(3, 0) } },
      ...more,
    });

  it('without a change of any file are worth a look, and otherwise are not', () => {
    expect(turned('a')).toEqual([expect.stringMatching(/^No file of the project changed.*outside the folder$/)]);
    expect(turned('b')).toEqual([]);
    expect(turned('a', tests(3, 0))).toEqual([]);
  });

  it('are no riddle in a run that has not reached its goal, has not begun, or whose tests were not run', () => {
    expect(turned('a', tests(2, 1), { phase: ended('limit') })).toEqual([]);
    expect(turned('a', tests(2, 1), { phase: INITIAL_STATE.phase })).toEqual([]);
    expect(turned('a', tests(2, 1), { iterations: 0 })).toEqual([]);
    expect(turned('a', tests(2, 1), { latest: INITIAL_STATE.latest })).toEqual([]);
    expect(turned('a', tests(2, 1), { baseline: { tree: 'a' } })).toEqual([]);
  });
});

describe('how the tests of a run that is done were compared with those of the start', () => {
  const missing = { count: 1, names: ['adds'] };
  const changes = (more: object = {}) => ({ changes: { digest: 'x', ...more } });
  const compared = (now: object, more: Partial<RunState> = {}, original?: TestResults) =>
    notes({
      phase: ended('goal'),
      iterations: 1,
      policy: { success: [condition('all_tests_pass')], failure: [], limits: [] },
      rules: NEWEST_RULES,
      baseline: { tests: tests(3, 0, { grade: 'named' }) },
      trees: ['b'],
      latest: {
        ...INITIAL_STATE.latest,
        observation: {
          tests: tests(3, 0, { grade: 'named', ...now }),
          ...(original === undefined ? {} : { original: { tests: original } }),
        },
      } as RunState['latest'],
      ...more,
    });
  const BY_NUMBER = ['The tests were compared by number, not by name'];

  it('is said where it was by number alone', () => {
    expect(compared({ grade: 'counted' })).toEqual(BY_NUMBER);
    expect(compared(changes())).toEqual([]);
    expect(compared({}, {}, tests(3, 0, changes()))).toEqual([]);
    expect(compared(changes(), {}, tests(3, 0))).toEqual(BY_NUMBER);
  });

  it('names tests that are missing, and new ones next to them', () => {
    expect(compared(changes({ missing }))).toEqual([expect.stringMatching(/missing by name: [^;]*adds[^;]*$/)]);
    expect(compared(changes({ missing, added: { count: 1, names: ['sums'] } }))).toEqual([
      expect.stringMatching(/adds.*; new: .*sums/),
    ]);
    expect(compared(changes({ added: { count: 1, names: ['sums'] } }))).toEqual([]);
  });

  it('is not said where nothing was compared', () => {
    const counted = { grade: 'counted' };
    expect(compared(counted, { phase: ended('limit') })).toEqual([]);
    expect(compared(counted, { iterations: 0 })).toEqual([]);
    expect(compared({ grade: undefined })).toEqual([]);
    expect(compared({ grade: 'exit-code' })).toEqual([]);
    expect(compared({ ...counted, source: 'agent' })).toEqual([]);
    expect(compared(counted, { baseline: { tests: tests(3, 0) } })).toEqual([]);
    expect(compared(counted, { baseline: {} })).toEqual([]);
    expect(compared(counted, { latest: INITIAL_STATE.latest })).toEqual([]);
  });

  it('is said of a goal that needs all tests by the rule that compares them', () => {
    const counted = { grade: 'counted' };
    const all = condition('all_tests_pass');
    const policy = (goals: readonly unknown[], failure: readonly unknown[] = []) => ({
      policy: { success: goals.map(condition), failure: failure.map(condition), limits: [] },
    });
    expect(compared(counted, policy([{ any: [{ file_created: 'x' }, 'all_tests_pass'] }]))).toEqual(BY_NUMBER);
    expect(compared(counted, policy([{ file_created: 'x' }], [{ test_failure_streak: 3 }]))).toEqual([]);
    expect(compared(counted, policy([{ file_created: 'x' }], [{ not: 'all_tests_pass' }]))).toEqual([]);
    expect(compared(counted, { rules: { [all.type]: 1 } })).toEqual([]);
    expect(compared(counted, { rules: {} })).toEqual([]);
    expect(compared(counted, { rules: undefined })).toEqual([]);
  });
});
