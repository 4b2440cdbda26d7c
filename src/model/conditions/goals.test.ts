import { describe, expect, it } from 'vitest';
import { facts, line } from '../../../test/support/facts.js';
import { tests } from '../../../test/support/record.js';
import { conditionKey } from '../condition-key.js';
import type { Facts } from '../judging/facts.js';
import type { ProbeResult } from '../observation.js';
import { parseCondition } from '../parse-condition.js';
import { judge } from '../../stop/judge.js';

describe('all tests pass', () => {
  const green = { tests: tests(3, 0) };
  const goal = (more: Partial<Facts>, input: unknown = 'all_tests_pass') => line(input, { ...green, ...more });
  const original = (more: object) => ({ original: { changed: ['a.test.ts'], ...more } });

  it('only where the tests of the start pass as well', () => {
    expect(goal(original({ tests: tests(3, 0) }))).toMatch(/^met 1/);
    expect(goal(original({ tests: tests(2, 1) }))).toMatch(/^not-met 0: all tests pass, but .*original tests/);
    expect(goal(original({ unusable: 'npm is missing' }))).toMatch(/^unknown: .*original tests.*: npm is missing$/);
    expect(goal(original({}))).toMatch(/^met 1/);
  });

  it('is decided by red tests, or by none, whatever those of the start say', () => {
    expect(goal({ tests: tests(2, 1), ...original({ unusable: 'x' }) })).toMatch(/^not-met 0\.67: 1 of 3 tests fail/);
    expect(goal({ tests: undefined, ...original({ tests: tests(3, 0) }) })).toMatch(/^unknown: the tests were not run/);
  });

  it('names a test that failed before and does not run now', () => {
    const baselineTests = tests(2, 1, { details: [{ name: 'parses', status: 'failed' }] });
    const now = tests(3, 0, { details: [{ name: 'parses', status: 'skipped' }] });
    expect(goal({ baselineTests, ...original({ tests: now }) })).toMatch(/^not-met 0: .*parses/);
    expect(goal({ baselineTests })).toMatch(/^met/);
  });

  it('without a look at those of the start in a run of version 1', () => {
    expect(goal({ ...original({ tests: tests(2, 1) }), rules: {} })).toMatch(/^met 1/);
  });

  it('with fewer than before only where that is allowed', () => {
    const fewer = { baselineTests: tests(4, 0) };
    expect(goal(fewer)).toMatch(/^not-met 0\.75: .*3 ran; 4 ran before/);
    const changes = { digest: 'x', missing: { count: 1, names: ['parses'] } };
    expect(goal({ ...fewer, tests: tests(3, 0, { changes }) })).toMatch(/4 ran before \(missing: "parses"\)$/);
    expect(goal(fewer, { all_tests_pass: { fewer_tests: 'allow' } })).toMatch(/^met 1/);
    expect(goal({ baselineTests: tests(3, 0) })).toMatch(/^met 1/);
  });

  it('is not met by tests that timed out before they were counted', () => {
    const timedOut = { source: 'harness', timedOut: true, details: [] } as const;
    expect(goal({ tests: timedOut })).toMatch(/^not-met 0: the tests timed out/);
    expect(goal({ tests: { ...timedOut, exitCode: 1, failed: 2 } })).toMatch(/timed out/);
  });

  it('says what is wrong in words for one test and for many', () => {
    expect(goal({ tests: tests(0, 1) })).toMatch(/^not-met 0: 1 of 1 test fails$/);
    expect(goal({ tests: tests(0, 1200) })).toMatch(/1,200 of 1,200 tests fail$/);
    expect(goal({ tests: { source: 'harness', exitCode: 9, passed: 3, details: [] } })).toMatch(/exit code 9$/);
    expect(goal({ tests: { source: 'harness', passed: 0, failed: 0, details: [] } })).toMatch(
      /^not-met 0: no test ran$/,
    );
  });

  it('says after which iteration they were not run', () => {
    expect(goal({ tests: undefined, iteration: 0 })).toMatch(/not run$/);
    expect(goal({ tests: undefined, iteration: 1 })).toMatch(/not run after iteration 1$/);
  });
});

describe('a file that was there before the run', () => {
  const input = { file_created: { path: 'DONE.md', fresh: true } };
  const key = conditionKey(parseCondition(input));
  const file = (before: ProbeResult | undefined, now: ProbeResult) =>
    line(input, { probes: { [key]: now }, baselineProbes: before && { [key]: before } });
  const there = (version: string) => ({ met: true, version });

  it('counts, where it must be fresh, only after it was written again', () => {
    expect(file(there('1'), there('1'))).toMatch(/^not-met: DONE\.md was there before/);
    expect(file(there('1'), there('2'))).toMatch(/^met/);
    expect(file({ met: false }, there('1'))).toMatch(/^met/);
    expect(file(undefined, there('1'))).toMatch(/^met/);
    expect(file(there('1'), { met: false })).toMatch(/^not-met: whether DONE\.md exists: no/);
    expect(file(there('1'), {})).toMatch(/^unknown/);
  });

  it('counts as it is, where it need not be', () => {
    for (const plain of [{ file_created: 'DONE.md' }, { file_created: { path: 'DONE.md', fresh: false } }]) {
      const own = conditionKey(parseCondition(plain));
      const seen = { [own]: there('1') };
      expect(line(plain, { probes: seen, baselineProbes: seen })).toMatch(/^met/);
    }
  });
});

describe('rates of a pipeline', () => {
  const counts = { items: 20, approved: 5, rejected: 3, failed: 2, withRetries: 4, attempts: 20, consecutiveFails: 0 };
  const rate = (input: unknown, more: object = {}) => line(input, { pipeline: { ...counts, ...more } });

  it('that a person has seen and resumed from halt it again only when they get worse', () => {
    const accepted = (rejectRate: number) => ({ accepted: { retryRate: 0, rejectRate } });
    expect(rate({ reject_rate: 0.3 }, accepted(0.5))).toMatch(
      /^not-met 1: .*50% of 10 items.*30% allowed, 50% accepted/,
    );
    expect(rate({ reject_rate: 0.3 }, accepted(0.4))).toMatch(/^met/);
    expect(rate({ reject_rate: 0.6 }, accepted(0.7))).toMatch(/^not-met 0\.83: .*60% allowed$/);
    expect(rate({ reject_rate: 0.5 }, accepted(0.4))).toMatch(/^not-met 1: .*50% allowed$/);
  });

  it('are unknown where one of the counts is', () => {
    expect(rate({ retry_rate: 0.5 }, { withRetries: undefined })).toMatch(/^unknown: .*not counted/);
    expect(rate({ reject_rate: 0.5 }, { approved: Number.NaN })).toMatch(/^unknown: .*not counted/);
  });
});

describe('a streak of a condition', () => {
  const lasting = parseCondition({ for: { iterations: 3, condition: { check_passes: 'lint' } } });
  const checks = (passed: boolean) => ({ checks: { lint: { passed } } });
  const after = (more: Partial<Facts>) => judge(lasting, facts(more));

  it('counts attempts in a pipeline', () => {
    expect(after({ iteration: 1, ...checks(true), pipeline: {} as never }).reason).toMatch(/1 of 3 attempts/);
    expect(after({ ...checks(true), pipeline: {} as never }).reason).toMatch(/attempt is not known/);
  });

  it('begins again after an iteration in which it did not hold', () => {
    const held = { holds: { [conditionKey(lasting)]: { iterations: 2, upTo: 2 } } };
    expect(after({ iteration: 3, ...checks(false), ...held }).hold).toEqual({ iterations: 0, upTo: 3 });
    expect(after({ iteration: 3, ...checks(true), ...held })).toMatchObject({ status: 'met', hold: { iterations: 3 } });
    expect(after({ iteration: 2, ...checks(false), ...held }).hold).toEqual({ iterations: 2, upTo: 2 });
  });

  it('shows what is inside it, known or not', () => {
    expect(after({ iteration: 1 }).children).toHaveLength(1);
    expect(after({}).children).toHaveLength(1);
    expect(after({ iteration: 1, ...checks(true) }).children).toHaveLength(1);
  });
});

describe('a large change', () => {
  const change = (limits: object, files: object | undefined) =>
    line({ diff_exceeds: limits }, { files: files as Facts['files'] });

  it('is unknown where the figure that decides is not known', () => {
    expect(change({ files: 4 }, { changedLines: 9 })).toMatch(/^unknown/);
    expect(change({ lines: 4 }, { changedFiles: 9 })).toMatch(/^unknown/);
    expect(change({ files: 4 }, { changedFiles: 9 })).toMatch(/^met/);
    expect(change({ lines: 4 }, { changedLines: 9 })).toMatch(/^met/);
    expect(change({ files: 4, lines: 4 }, { changedFiles: 1 })).toMatch(/^unknown/);
  });

  it('by files or by lines is enough', () => {
    expect(change({ files: 4, lines: 100 }, { changedFiles: 5, changedLines: 1 })).toMatch(/^met/);
    expect(change({ files: 4, lines: 100 }, { changedFiles: 4, changedLines: 100 })).toMatch(/^not-met 1/);
  });
});

describe('protected files', () => {
  const guard = { protected_path_changed: ['test/**'] };
  const seen = (probe: ProbeResult) => line(guard, { probes: { [conditionKey(parseCondition(guard))]: probe } });

  it('that changed are named', () => {
    expect(seen({ met: true, detail: 'test/a.ts, test/b.ts changed' })).toBe(
      'met 1: protected files changed: test/a.ts, test/b.ts',
    );
    expect(seen({ met: true, detail: 'the folder is gone' })).toBe('met 1: the folder is gone');
    expect(seen({ met: false, detail: 'nothing changed' })).toBe('not-met: nothing changed');
  });
});
