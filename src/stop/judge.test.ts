import { describe, expect, it } from 'vitest';
import { facts, line } from '../../test/support/facts.js';
import { tests } from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import { parseCondition } from '../model/parse-condition.js';
import type { TestResults } from '../model/test-results.js';
import { judge } from './judge.js';

const key = (input: unknown) => conditionKey(parseCondition(input));
type Case = [unknown, Parameters<typeof line>[1], string];

describe('what could not be observed', () => {
  it('no progress is unknown, never "0 of 5", when nobody could tell what the last iteration changed', () => {
    const streaks = { withoutProgress: 0, unknown: { progress: true } } as const;
    expect(line({ no_progress: 5 }, { streaks })).toMatch(/^unknown: whether the last iteration made progress/);
    expect(line({ no_progress: 5 }, { streaks: { ...streaks, withoutProgress: 5 } })).toMatch(/^met/);
  });

  it('an oscillation is unknown when the tree of the last iteration is', () => {
    expect(line({ oscillation: 2 }, { streaks: { oscillations: 1, unknown: { tree: true } } })).toMatch(
      /^unknown: .*earlier state/,
    );
  });
});

describe('counts and time', () => {
  it.each<Case>([
    [{ max_iterations: 3 }, { iteration: 0 }, 'not-met 0: 0 of 3 iterations'],
    [{ max_iterations: 3 }, { iteration: 2 }, 'not-met 0.67: 2 of 3 iterations'],
    [{ max_iterations: 3 }, { iteration: 3 }, 'met 1: 3 of 3 iterations'],
    [{ max_iterations: 3 }, { iteration: 4 }, 'met 1: 4 of 3 iterations'],
    [{ max_iterations: 1 }, { iteration: 0 }, 'not-met 0: 0 of 1 iteration'],
    [{ max_iterations: 20_000 }, { iteration: 1234 }, 'not-met 0.06: 1,234 of 20,000 iterations'],
    [{ max_iterations: 3 }, {}, 'unknown: not known'],
    [{ max_iterations: 3 }, { iteration: Number.NaN }, 'unknown: not known'],
  ])('[c9] [c32] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  it.each<Case>([
    [{ max_duration: '1h' }, { activeMs: 3_599_999 }, 'not-met 1: 59m 59s of 1h active'],
    [{ max_duration: '1h' }, { activeMs: 3_600_000 }, 'met 1: 1h of 1h active'],
    [{ max_duration: '1h' }, { activeMs: 900_000 }, 'not-met 0.25: 15m of 1h active'],
    [{ max_duration: '1h' }, {}, 'unknown: not known'],
  ])('[c10] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  it('a duration that was never checked is unknown, not for ever', () => {
    expect(judge({ type: 'max_duration', duration: 'soon' }, facts({ activeMs: 5 }))).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('"soon"'),
    });
  });

  const at = '2026-03-01T06:00:00Z';
  const start = Date.parse('2026-03-01T00:00:00Z');
  it.each<Case>([
    [{ deadline: at }, { nowMs: start + 6 * 3_600_000 }, `met 1: the deadline ${at} has passed`],
    [{ deadline: at }, { nowMs: start + 6 * 3_600_000 - 1, startedAtMs: start }, `not-met 1: 1ms until ${at}`],
    [{ deadline: at }, { nowMs: start + 1.5 * 3_600_000, startedAtMs: start }, `not-met 0.25: 4h 30m until ${at}`],
    [{ deadline: at }, { nowMs: start }, `not-met: 6h until ${at}`],
    [{ deadline: at }, { nowMs: start, startedAtMs: start + 1e10 }, `not-met: 6h until ${at}`],
    [{ deadline: at }, { nowMs: start, startedAtMs: start + 6 * 3_600_000 }, `not-met: 6h until ${at}`],
    [{ deadline: at }, { nowMs: start - 1000, startedAtMs: start }, `not-met 0: 6h until ${at}`],
    [{ deadline: at }, {}, 'unknown: the time is not known'],
  ])('[c10] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  it.each<Case>([
    [{ context_above: 85 }, { contextPercent: 85 }, 'not-met 1: context 85% used, 85% allowed'],
    [{ context_above: 85 }, { contextPercent: 85.1 }, 'met 1: context 85% used, 85% allowed'],
    [{ context_above: 80 }, { contextPercent: 20 }, 'not-met 0.25: context 20% used, 80% allowed'],
    [{ context_above: 0 }, { contextPercent: 0 }, 'not-met 0: context 0% used, 0% allowed'],
    [{ context_above: 85 }, {}, 'unknown: the context use is not known'],
  ])('%j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));
});

describe('spend', () => {
  it.each<Case>([
    [{ max_tokens: 1000 }, { spend: { totalTokens: 999 } }, 'not-met 1: 999 of 1,000 tokens'],
    [{ max_tokens: 1000 }, { spend: { totalTokens: 1000 } }, 'met 1: 1,000 of 1,000 tokens'],
    [{ max_input_tokens: 10 }, { spend: { inputTokens: 10, outputTokens: 0 } }, 'met 1: 10 of 10 input tokens'],
    [{ max_output_tokens: 10 }, { spend: { inputTokens: 10, outputTokens: 0 } }, 'not-met 0: 0 of 10 output tokens'],
  ])('[c33] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  it.each<Case>([
    [{ max_cost_per_day: 20 }, { dayCostUsd: 19.99 }, 'not-met 1: $19.99 of $20.00 today'],
    [{ max_cost_per_day: 20 }, { dayCostUsd: 20 }, 'met 1: $20.00 of $20.00 today'],
    [{ max_cost_of_batch: 20 }, { batchCostUsd: 19.99 }, 'not-met 1: $19.99 of $20.00 for the batch'],
    [{ max_cost_of_batch: 20 }, { batchCostUsd: 20 }, 'met 1: $20.00 of $20.00 for the batch'],
    [{ max_cost_of_batch: 20 }, {}, 'unknown: the spend of the batch is not known yet'],
    [{ max_cost: 0.5 }, { spend: { costUsd: 0.4999 } }, 'not-met 1: $0.49 of $0.50'],
    [{ max_cost: 0.5 }, { spend: { costUsd: 0.5 } }, 'met 1: $0.50 of $0.50'],
    [{ max_cost: 5 }, { spend: { costUsd: 4.999 } }, 'not-met 1: $4.99 of $5.00'],
    [{ max_cost: 5 }, { spend: { costUsd: 0 } }, 'not-met 0: $0.00 of $5.00'],
    [
      { max_cost: 5 },
      { spend: { costUsd: 1.25 }, estimatedIterations: 1 },
      'not-met 0.25: ~$1.25 of $5.00 (1 iteration estimated)',
    ],
    [{ max_cost: 5 }, { spend: { costUsd: 1.25 }, estimatedIterations: 0 }, 'not-met 0.25: $1.25 of $5.00'],
    [
      { max_cost: 5 },
      { spendProblem: { tokens: 'no price is known for x', cost: 'no price is known for x' } },
      'unknown: spend unknown: no price is known for x',
    ],
    [
      { max_tokens: 5 },
      { spendProblem: { tokens: 'told nothing', cost: 'told nothing' } },
      'unknown: spend unknown: told nothing',
    ],
    [{ max_cost: 5 }, {}, 'unknown: no usage is known'],
    [{ max_tokens: 5 }, {}, 'unknown: no usage is known'],
    [{ max_cost: { usd: 5, model: 'm' } }, {}, 'unknown: no usage is known'],
    [{ max_cost: { usd: 5, model: 'm' } }, { costAtModel: { m: 6 } }, 'met 1: $6.00 of $5.00'],
    [
      { max_cost: { usd: 5, model: 'm' } },
      { costAtModel: { m: 6 }, spend: { costUsd: 1 } },
      'not-met 0.2: $1.00 of $5.00',
    ],
    [
      { max_cost: { usd: 5, model: 'm' } },
      { costAtModel: {}, spendProblem: { tokens: 'p', cost: 'p' } },
      'unknown: spend unknown: p',
    ],
    [
      { max_cost: 5 },
      { spend: { costUsd: Number.NaN }, spendProblem: { tokens: 't', cost: 'c' } },
      'unknown: spend unknown: c',
    ],
    [
      { max_cost: 5 },
      { spend: { costUsd: -5 }, spendProblem: { tokens: 't', cost: 'c' } },
      'unknown: spend unknown: c',
    ],
    [
      { max_tokens: 5 },
      { spend: { totalTokens: Number.NaN }, spendProblem: { tokens: 't', cost: 'c' } },
      'unknown: spend unknown: t',
    ],
    [{ max_cost: 5 }, { stoppedItself: 'budget' }, 'met 1: the agent stopped at its own budget, within $5.00'],
    [{ max_cost: 5 }, { stoppedItself: 'turns', spend: { costUsd: 1 } }, 'not-met 0.2: $1.00 of $5.00'],
  ])('[c34] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));
});

it('tests that cannot be run are not said to have failed, in the goal or in the reason to stop', () => {
  const gone = { source: 'harness', exitCode: 127, details: [] } as const;
  expect(line('all_tests_pass', { tests: gone })).toMatch(/cannot be run \(exit code 127\)/);
  const none = { source: 'harness', exitCode: 5, passed: 0, failed: 0, details: [] } as const;
  expect(line('all_tests_pass', { tests: none, baselineTests: tests(2, 1) })).toContain('no tests were found');
});

describe('streaks', () => {
  it.each<Case>([
    [
      { test_failure_streak: 3 },
      { streaks: { testFailures: 2, strictTestFailures: 3 } },
      'not-met 0.67: tests did not improve for 2 of 3 iterations',
    ],
    [{ test_failure_streak: 3 }, { streaks: { testFailures: 3 } }, 'met 1: tests did not improve for 3 iterations'],
    [
      { test_failure_streak: { count: 3, strict: true } },
      { streaks: { testFailures: 0, strictTestFailures: 3 } },
      'met 1: tests failed in 3 iterations in a row',
    ],
    [
      { no_progress: 5 },
      { streaks: { withoutProgress: 5 } },
      'met 1: no progress for 5 iterations: nothing new was written, and no test improved',
    ],
    [{ no_progress: 5 }, { streaks: { withoutProgress: 4 } }, 'not-met 0.8: no progress for 4 of 5 iterations'],
    [{ consecutive_failures: 2 }, { streaks: { failures: 2 } }, 'met 1: 2 iterations in a row failed'],
    [{ oscillation: 2 }, { streaks: { oscillations: 1 } }, 'not-met 0.5: returned to an earlier state 1 of 2 times'],
    [
      { oscillation: 3 },
      { streaks: { oscillations: 3 } },
      'met 1: the agent keeps undoing its own work (returned to an earlier state 3 times)',
    ],
    [
      { repeated_error: 2 },
      { streaks: { sameError: 2, lastError: { message: 'disk  full' } } },
      'met 1: the same error 2 times in a row: "disk full"',
    ],
    [{ repeated_error: 2 }, { streaks: { sameError: 0 } }, 'not-met 0: the same error 0 of 2 times in a row'],
    [{ permission_denied: 1 }, { streaks: { denials: 1 } }, 'met 1: permission denied 1 time in a row'],
    [{ permission_denied: 1 }, {}, 'unknown: not known'],
  ])('%j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));
});

describe('tests', () => {
  const uncounted = (more: Partial<TestResults>): TestResults => ({ source: 'harness', details: [], ...more });
  const lacking = (name: string) => ({ changes: { missing: { count: 1, names: [name] }, digest: 'x' } });
  it.each<Case>([
    ['all_tests_pass', {}, 'unknown: the tests were not run'],
    ['all_tests_pass', { iteration: 2 }, 'unknown: the tests were not run after iteration 2'],
    ['all_tests_pass', { tests: tests(2, 0) }, 'met 1: both tests pass'],
    ['all_tests_pass', { tests: tests(4, 0) }, 'met 1: all 4 tests pass'],
    ['all_tests_pass', { tests: tests(1, 0) }, 'met 1: the only test passes'],
    [
      'all_tests_pass',
      { tests: tests(4, 0, { source: 'agent' }) },
      "met 1: all 4 tests pass, as the agent's own output shows",
    ],
    ['all_tests_pass', { tests: tests(3, 1) }, 'not-met 0.75: 1 of 4 tests fail'],
    ['all_tests_pass', { tests: tests(2, 2) }, 'not-met 0.5: 2 of 4 tests fail'],
    ['all_tests_pass', { tests: tests(0, 0) }, 'not-met 0: no test ran'],
    ['all_tests_pass', { tests: tests(2, 2, { timedOut: true }) }, 'not-met 0.5: the tests timed out'],
    [
      'all_tests_pass',
      { tests: tests(4, 0, { exitCode: 3 }) },
      'not-met 1: no test fails, but the command exits with 3',
    ],
    ['all_tests_pass', { tests: uncounted({ exitCode: 2 }) }, 'not-met 0: the tests failed with exit code 2'],
    ['all_tests_pass', { tests: uncounted({}) }, 'unknown: how many tests failed is not known'],
    ['all_tests_pass', { tests: uncounted({ exitCode: 0 }) }, 'met 1: the tests pass'],
    [
      'all_tests_pass',
      { tests: tests(38, 0), baselineTests: tests(40, 2) },
      'not-met 0.9: all tests pass, but only 38 ran; 42 ran before',
    ],
    [
      'all_tests_pass',
      { tests: tests(41, 0, lacking('/a/test/helper.js')), baselineTests: tests(40, 2) },
      'not-met 0: all tests pass, but 1 test that ran before does not run now: /a/test/helper.js',
    ],
    [
      'all_tests_pass',
      {
        tests: tests(41, 0, lacking('/a/test/helper.js')),
        baselineTests: tests(40, 2),
        original: { changed: ['test/helper.js'], tests: tests(42, 0) },
      },
      'met 1: all 41 tests pass',
    ],
    [
      'all_tests_pass',
      {
        tests: tests(41, 0, lacking('/a/test/helper.js')),
        baselineTests: tests(40, 2),
        original: { changed: ['test/helper.js'], tests: tests(41, 1) },
      },
      'not-met 0: all tests pass, but the original tests fail with exit code 1',
    ],
    [
      'all_tests_pass',
      { tests: tests(41, 0, lacking('adds ones')), baselineTests: tests(40, 2) },
      'not-met 0.98: all tests pass, but only 41 ran; 42 ran before (missing: "adds ones")',
    ],
    ['all_tests_pass', { tests: tests(42, 0), baselineTests: tests(40, 2) }, 'met 1: all 42 tests pass'],
    [
      'all_tests_pass',
      { tests: uncounted({ exitCode: 0 }), baselineTests: tests(40, 2) },
      'not-met 0: all tests pass, but none could be counted; 42 ran before',
    ],
    [
      'all_tests_pass',
      { tests: tests(1, 0), baselineTests: uncounted({ exitCode: 1 }) },
      'met 1: the only test passes',
    ],
    [
      { all_tests_pass: { fewer_tests: 'allow' } },
      { tests: tests(38, 0), baselineTests: tests(40, 2) },
      'met 1: all 38 tests pass',
    ],
  ])('[c3] [c38] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  const details = (...names: string[]) =>
    names.map((name) => ({ name: name.replace('!', ''), status: name.startsWith('!') ? 'failed' : 'passed' }) as const);
  const named = { specific_tests_pass: ['a', 'b'] };
  it.each<Case>([
    [named, {}, 'unknown: the tests were not run'],
    [named, { tests: tests(2, 0, { details: details('a', 'b', '!c') }) }, 'met 1: 2 named tests passed'],
    [
      named,
      { tests: tests(2, 0, { details: details('a', '!b') }) },
      'not-met 0.5: 1 of 2 named tests passed, waiting for b',
    ],
    [named, { tests: tests(2, 0, { details: details('a') }) }, 'not-met 0.5: 1 of 2 named tests passed, waiting for b'],
    [named, { tests: tests(2, 0, { details: details('a'), omittedDetails: 9 }) }, 'unknown: no result of b'],
    [
      named,
      { tests: tests(2, 0, { details: details('!a'), omittedDetails: 9 }) },
      'not-met 0: 0 of 2 named tests passed, waiting for a, b',
    ],
    [named, { tests: tests(2, 0) }, 'unknown: no result of a, b'],
    [
      named,
      { tests: tests(2, 0, { details: details('a', 'a', 'b', '!b') }) },
      'not-met 0.5: 1 of 2 named tests passed, waiting for b',
    ],
    [
      { specific_tests_pass: ['a', 'b', 'c', 'd', 'e'] },
      { tests: tests(1, 0, { details: details('x') }) },
      'not-met 0: 0 of 5 named tests passed, waiting for a, b, c and 2 more',
    ],
  ])('[c3] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));
});

describe('what was observed', () => {
  const created = { file_created: 'DONE.md' };
  const contains = { file_contains: { path: 'a', content: 'b' } };
  const script = { custom_script: 'check.sh' };
  it.each<Case>([
    [created, {}, 'unknown: whether DONE.md exists has not been checked yet'],
    [created, { probes: { [key(created)]: { met: true } } }, 'met 1: whether DONE.md exists: yes'],
    [created, { probes: { [key(created)]: { met: false } } }, 'not-met: whether DONE.md exists: no'],
    [created, { probes: { [key(created)]: { met: false, detail: 'no such file' } } }, 'not-met: no such file'],
    [created, { probes: { [key(created)]: {} } }, 'unknown: whether DONE.md exists could not be checked'],
    [created, { probes: { [key(created)]: { detail: 'permission denied' } } }, 'unknown: permission denied'],
    [contains, {}, 'unknown: whether a contains "b" has not been checked yet'],
    [
      contains,
      { probes: { [key(created)]: { met: true } } },
      'unknown: whether a contains "b" has not been checked yet',
    ],
    [script, {}, 'unknown: the script check.sh has not been checked yet'],
    [script, { probes: { [key(script)]: { met: true, detail: 'ready' } } }, 'met 1: ready'],
    [{ type: 'function', name: 'enough' }, {}, 'unknown: the function enough has not been checked yet'],
    [
      { protected_path_changed: ['test/**', 'ci/*'] },
      {},
      'unknown: whether test/**, ci/* changed has not been checked yet',
    ],
    [{ check_passes: 'lint' }, { checks: { lint: { passed: true } } }, 'met 1: the check lint passes'],
    [{ check_passes: 'lint' }, { checks: { lint: { passed: false } } }, 'not-met: the check lint fails'],
    [{ check_passes: 'lint' }, { checks: { lint: {} } }, 'unknown: the check lint was not run to its end'],
    [{ check_passes: 'constructor' }, { checks: {} }, 'unknown: the check constructor was not run to its end'],
    [{ diff_exceeds: { files: 3 } }, {}, 'unknown: the changes were not observed'],
    [
      { diff_exceeds: { files: 4 } },
      { files: { changedFiles: 4, changedLines: 900 } },
      'not-met 1: 4 files changed, 4 allowed',
    ],
    [
      { diff_exceeds: { files: 4 } },
      { files: { changedFiles: 5, changedLines: 0 } },
      'met 1: 5 files changed, 4 allowed',
    ],
    [
      { diff_exceeds: { lines: 100 } },
      { files: { changedFiles: 5, changedLines: 50 } },
      'not-met 0.5: 50 lines changed, 100 allowed',
    ],
    [
      { diff_exceeds: { files: 4, lines: 100 } },
      { files: { changedFiles: 1, changedLines: 101 } },
      'met 1: 1 file changed, 4 allowed; 101 lines changed, 100 allowed',
    ],
    [
      { diff_exceeds: { files: 4, lines: 100 } },
      { files: { changedFiles: 1, changedLines: 50 } },
      'not-met 0.5: 1 file changed, 4 allowed; 50 lines changed, 100 allowed',
    ],
  ])('%j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  const text = { output_pattern: 'ALL DONE' };
  const regex = { output_pattern: { pattern: 'DONE \\d+', is_regex: true } };
  it.each<Case>([
    [text, {}, 'unknown: what the agent said is not known'],
    [text, { matches: {} }, 'not-met: the agent has not said "ALL DONE"'],
    [text, { matches: { [key(text)]: 'ALL DONE' } }, 'met 1: the agent said "ALL DONE"'],
    [regex, { matches: {} }, 'not-met: the agent has not said /DONE \\d+/'],
    [regex, { matches: { [key(regex)]: 'DONE 42' } }, 'met 1: the agent said "DONE 42", matching /DONE \\d+/'],
    ['on_error', {}, 'unknown: whether an error occurred is not known'],
    ['on_error', { errors: [] }, 'not-met: no error'],
    ['on_error', { errors: [{ kind: 'other', message: 'disk full' }] }, 'met 1: error: "disk full"'],
    [
      { on_error: 'disk' },
      {
        errors: [
          { kind: 'other', message: 'x' },
          { kind: 'other', message: 'disk full' },
        ],
      },
      'met 1: error: "disk full"',
    ],
    [{ on_error: 'net' }, { errors: [{ kind: 'other', message: 'disk full' }] }, 'not-met: no error with "net"'],
    ['agent_reports_done', {}, 'unknown: what the agent reports is not known'],
    ['agent_reports_done', { claims: { blocked: 'x' } }, 'not-met: the agent has not reported that it is done'],
    ['agent_reports_done', { claims: { done: 'all\ngreen' } }, 'met 1: the agent says it is done: "all green"'],
    ['agent_reports_blocked', { claims: { blocked: 'no key' } }, 'met 1: the agent says it is blocked: "no key"'],
    ['agent_reports_blocked', { claims: { blocked: 'A or B?' } }, 'met 1: the agent asks: "A or B?"'],
    ['agent_reports_blocked', { claims: {} }, 'not-met: the agent has not reported that it is blocked'],
    ['needs_person', {}, 'unknown: whether the agent asks a person for something is not known'],
    ['needs_person', { claims: {} }, 'unknown: whether the agent asks a person for something is not known'],
    ['needs_person', { claims: { blocked: 'no key' } }, 'met 1: the agent needs you: "no key"'],
    ['needs_person', { streaks: { requests: 0 } }, 'not-met 0: the agent has not asked a person for anything'],
    [
      'needs_person',
      { streaks: { requests: 1, lastRequest: { kind: 'request', sentence: 'A or B?', changedNothing: true } } },
      'not-met 0.5: the agent asked a person for something in 1 of 2 iterations in a row',
    ],
    [
      'needs_person',
      { streaks: { requests: 2, lastRequest: { kind: 'request', sentence: 'A or B?', changedNothing: true } } },
      'met 1: the agent needs you: "A or B?"',
    ],
    [
      'needs_person',
      { streaks: { requests: 2, lastRequest: { kind: 'impossible', sentence: 'No way.', changedNothing: true } } },
      'met 1: the agent says that it cannot be done: "No way."',
    ],
    [
      'needs_person',
      { streaks: { requests: 2, lastRequest: { kind: 'request', sentence: 'A or B?', changedNothing: false } } },
      'not-met: the agent asks a person for something, and still changes files',
    ],
    [
      'needs_person',
      { streaks: { requests: 2, lastRequest: { kind: 'request', sentence: 'A or B?' } } },
      'unknown: the agent asks a person for something; whether it changed anything is not known',
    ],
    [
      { needs_person: 3 },
      { streaks: { requests: 2, lastRequest: { kind: 'request', sentence: 'A or B?', changedNothing: true } } },
      'not-met 0.67: the agent asked a person for something in 2 of 3 iterations in a row',
    ],
    ['user_signal', {}, 'unknown: whether a stop was requested is not known'],
    ['user_signal', { userSignal: false }, 'not-met: no stop was requested'],
    ['user_signal', { userSignal: true }, 'met 1: stop requested (user)'],
    ['user_signal', { userSignal: true, operatorStop: { by: 'cli', now: false } }, 'met 1: stop requested (cli)'],
    ['never', {}, 'not-met: never'],
  ])('%j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));
});

describe('pipelines', () => {
  const pipeline = {
    items: 100,
    approved: 7,
    rejected: 2,
    failed: 1,
    withRetries: 5,
    attempts: 20,
    consecutiveFails: 2,
  };
  const empty = { ...pipeline, approved: 0, rejected: 0, failed: 0, withRetries: 0 };
  it.each<Case>([
    [{ retry_rate: 0.5 }, { pipeline }, 'not-met 1: retry rate 50% of 10 items, 50% allowed'],
    [{ retry_rate: 0.4 }, { pipeline }, 'met 1: Retry rate 50% exceeds 40% threshold'],
    [{ reject_rate: 0.3 }, { pipeline }, 'not-met 1: reject rate 30% of 10 items, 30% allowed'],
    [{ reject_rate: 0.6 }, { pipeline }, 'not-met 0.5: reject rate 30% of 10 items, 60% allowed'],
    [{ reject_rate: 0.299 }, { pipeline }, 'met 1: Reject rate 30% exceeds 29.9% threshold'],
    [
      { reject_rate: { max: 0.1, min_items: 11 } },
      { pipeline },
      'not-met 0: reject rate 30% of 10 items, 10% allowed, judged from 11 items on',
    ],
    [{ reject_rate: { max: 0.1, min_items: 10 } }, { pipeline }, 'met 1: Reject rate 30% exceeds 10% threshold'],
    [
      { reject_rate: 0.1 },
      { pipeline: empty },
      'not-met 0: reject rate 0% of 0 items, 10% allowed, judged from 1 item on',
    ],
    [{ reject_rate: 0 }, { pipeline: { ...empty, approved: 1 } }, 'not-met 0: reject rate 0% of 1 item, 0% allowed'],
    [{ retry_rate: 0.5 }, {}, 'unknown: this is not a pipeline'],
    [{ retry_rate: 0.5 }, { pipeline: {} as never }, 'unknown: the items were not counted'],
    [{ consecutive_fails: 3 }, { pipeline }, 'not-met 0.67: 2 of 3 items in a row rejected or failed'],
    [{ consecutive_fails: 2 }, { pipeline }, 'met 1: 2 items in a row failed or were rejected, 2 halt the run'],
    [{ circuit_breaker: 20 }, { pipeline }, 'met 1: 20 attempts were made, 20 halt the run'],
    [{ circuit_breaker: 21 }, { pipeline }, 'not-met 0.95: 20 of 21 attempts'],
    [{ circuit_breaker: 21 }, {}, 'unknown: not known'],
    [{ consecutive_fails: 3 }, {}, 'unknown: not known'],
    [{ circuit_breaker: 1 }, { pipeline: { ...pipeline, attempts: 1 } }, 'met 1: 1 attempt was made, 1 halts the run'],
    [
      { consecutive_fails: 1 },
      { pipeline: { ...pipeline, consecutiveFails: 1 } },
      'met 1: 1 item in a row failed or was rejected, 1 halts the run',
    ],
    [
      { reject_rate: 0.5 },
      { pipeline: { ...pipeline, rejected: Number.POSITIVE_INFINITY, failed: Number.POSITIVE_INFINITY } },
      'unknown: the items were not counted',
    ],
  ])('%j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));
});

describe('composites', () => {
  const yes = { max_iterations: 1 };
  const no = { max_iterations: 4 };
  const what = { file_created: 'x' };
  const money = { max_cost: 5 };
  const at = { iteration: 1 };
  it.each<Case>([
    [{ all: [yes, yes] }, at, 'met 1: 1 of 1 iteration and 1 of 1 iteration'],
    [{ all: [yes, no] }, at, 'not-met 0.63: 1 of 4 iterations'],
    [{ all: [no, no] }, at, 'not-met 0.25: 1 of 4 iterations and 1 of 4 iterations'],
    [{ all: [yes, what] }, at, 'unknown 0.5: whether x exists has not been checked yet'],
    [{ all: [no, what] }, at, 'not-met 0.13: 1 of 4 iterations'],
    [{ any: [yes, no] }, at, 'met 1: 1 of 1 iteration'],
    [{ any: [yes, yes] }, at, 'met 1: 1 of 1 iteration and 1 of 1 iteration'],
    [{ any: [no, { max_iterations: 2 }] }, at, 'not-met 0.5: 1 of 4 iterations, 1 of 2 iterations'],
    [
      { any: [what, { file_created: 'y' }] },
      at,
      'unknown: whether x exists has not been checked yet, whether y exists has not been checked yet',
    ],
    [{ any: [yes, what] }, at, 'met 1: 1 of 1 iteration'],
    [{ any: [no, no] }, at, 'not-met 0.25: 1 of 4 iterations, 1 of 4 iterations'],
    [{ any: [no, what] }, at, 'unknown 0.25: whether x exists has not been checked yet'],
    [{ any: [what] }, at, 'unknown: whether x exists has not been checked yet'],
    [{ not: yes }, at, 'not-met: 1 of 1 iteration'],
    [{ not: no }, at, 'met 1: 1 of 4 iterations'],
    [{ not: what }, at, 'unknown: whether x exists has not been checked yet'],
  ])('[c6] [c14] %j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  it('remember that unknown spend is behind what they do not know', () => {
    const problem = { ...at, spendProblem: { tokens: 'p', cost: 'p' } };
    const unknown = (input: unknown) => judge(parseCondition(input), facts(problem)).spendUnknown;
    expect(unknown(money)).toBe('p');
    expect(unknown({ not: money })).toBe('p');
    expect(unknown({ all: [yes, money] })).toBe('p');
    expect(unknown({ any: [no, what, money] })).toBe('p');
    expect(unknown({ for: { iterations: 2, condition: money } })).toBe('p');
    const blind = facts({ spendProblem: { tokens: 'p', cost: 'p' } });
    expect(judge(parseCondition({ for: { iterations: 2, condition: money } }), blind).spendUnknown).toBe('p');
    expect(unknown({ all: [no, money] })).toBeUndefined();
    expect(unknown({ any: [yes, money] })).toBeUndefined();
    expect(unknown(what)).toBeUndefined();
  });

  it.each([
    { all: [yes, yes] },
    { all: [yes, no] },
    { all: [yes, what] },
    { any: [yes, no] },
    { any: [no, no] },
    { any: [no, what] },
  ])('show the judgement of every part, whatever they come to: %j', (input) => {
    expect(judge(parseCondition(input), facts(at)).children).toHaveLength(2);
    expect(judge(parseCondition({ not: input }), facts(at)).children).toHaveLength(1);
  });

  it('show the judgement of every part', () => {
    const result = judge(parseCondition({ any: [yes, { not: no }] }), facts(at));
    expect(result.children?.map((child) => child.status)).toEqual(['met', 'met']);
    expect(result.children?.[1]?.children?.[0]?.status).toBe('not-met');
  });

  it('without anything in them are unknown, should one ever get here unread', () => {
    const empty = { status: 'unknown', reason: 'no conditions' };
    expect(judge({ type: 'all', conditions: [] }, facts(at))).toMatchObject(empty);
    expect(judge({ type: 'any', conditions: [] }, facts(at))).toMatchObject(empty);
  });
});

describe('held for some iterations', () => {
  const inside = { check_passes: 'lint' };
  const lasting = { for: { iterations: 3, condition: inside } };
  const passing = { checks: { lint: { passed: true } } };
  const failing = { checks: { lint: { passed: false } } };
  const held = (iterations: number, upTo: number) => ({ holds: { [key(lasting)]: { iterations, upTo } } });
  it.each<Case>([
    [lasting, { iteration: 1, ...passing }, 'not-met 0.33: held 1 of 3 iterations: the check lint passes'],
    [lasting, { iteration: 3, ...passing, ...held(2, 2) }, 'met 1: held 3 of 3 iterations: the check lint passes'],
    [lasting, { iteration: 3, ...failing, ...held(2, 2) }, 'not-met 0: held 0 of 3 iterations: the check lint fails'],
    [lasting, { iteration: 3, ...held(2, 2) }, 'unknown 0.67: the check lint was not run to its end'],
    [lasting, { iteration: 4, ...held(3, 3) }, 'met 1: held 3 of 3 iterations: the check lint was not run to its end'],
    [
      lasting,
      { iteration: 2, ...passing, ...held(2, 2) },
      'not-met 0.67: held 2 of 3 iterations: the check lint passes',
    ],
    [lasting, { iteration: 0, ...passing }, 'not-met 0: held 0 of 3 iterations: the check lint passes'],
    [lasting, passing, 'unknown: the iteration is not known'],
  ])('%j with %j is %s', (input, more, expected) => expect(line(input, more)).toBe(expected));

  it('an unknown iteration neither adds nor breaks', () => {
    const result = judge(parseCondition(lasting), facts({ iteration: 3, ...held(2, 2) }));
    expect(result.hold).toEqual({ iterations: 2, upTo: 3 });
    expect(judge(parseCondition(lasting), facts({ iteration: 0, ...passing })).hold).toEqual({
      iterations: 0,
      upTo: 0,
    });
  });
});
