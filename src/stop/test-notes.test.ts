import { describe, expect, it } from 'vitest';
import { tests } from '../../test/support/record.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { testNotes } from './test-notes.js';

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

describe('red tests that turned green', () => {
  const ended = { name: 'ended', state: 'completed', end: { state: 'completed', class: 'goal', reasons: [] } };
  const turned = (tree: string, before = tests(2, 1)) =>
    notes({
      phase: ended as unknown as RunState['phase'],
      iterations: 1,
      baseline: { tree: 'a', tests: before },
      trees: [tree],
      latest: { ...INITIAL_STATE.latest, observation: { tests: tests(3, 0) } },
    });

  it('without a change of any file are worth a look, and otherwise are not', () => {
    expect(turned('a')).toEqual([expect.stringMatching(/^No file of the project changed.*outside the folder$/)]);
    expect(turned('b')).toEqual([]);
    expect(turned('a', tests(3, 0))).toEqual([]);
  });
});
