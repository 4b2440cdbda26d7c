import { describe as suite, expect, it } from 'vitest';
import { condition } from '../../test/support/facts.js';
import { FAILURE_MODEL } from '../../test/support/failure-model.js';
import { CONDITION_TYPES } from '../model/condition-catalog.js';
import { describe } from './judge.js';

suite('a condition in words', () => {
  const rows: [unknown, string][] = [
    [{ max_iterations: 1 }, 'after 1 iteration'],
    [{ max_iterations: 30 }, 'after 30 iterations'],
    [{ max_duration: '90m' }, 'after 1h 30m of active time'],
    [{ max_duration: '25h 30m 5s' }, 'after 1d 1h 30m 5s of active time'],
    [{ deadline: '2026-01-31T06:00:00Z' }, 'at 2026-01-31T06:00:00Z'],
    [{ max_tokens: 1_000_000 }, 'after 1,000,000 tokens'],
    [{ max_input_tokens: 1000 }, 'after 1,000 input tokens'],
    [{ max_output_tokens: 1000 }, 'after 1,000 output tokens'],
    [{ max_cost: 5 }, 'after $5.00'],
    [{ max_cost_per_day: 20 }, 'after $20.00 a day, over all runs on this machine'],
    [{ max_cost_of_batch: 20 }, 'after $20.00 over all runs of the batch'],
    [{ max_cost: { usd: 0.05, model: 'gpt-4o' } }, 'after $0.05 at the price of gpt-4o'],
    [
      { likely_to_fail: { model: FAILURE_MODEL, above: 0.9 } },
      'when it is at least 90% likely to fail, according to a model of 300 earlier runs',
    ],
    [{ context_above: 85 }, 'when more than 85% of the context is used'],
    [
      { test_failure_streak: 3 },
      'after 3 iterations in a row with failing tests that do not improve (5 to 6 while new code is written)',
    ],
    [{ test_failure_streak: { count: 3, strict: true } }, 'after 3 iterations in a row with failing tests'],
    [{ no_progress: 5 }, 'after 5 iterations in a row without progress'],
    [{ oscillation: 2 }, 'when the files have returned to an earlier state 2 times with nothing gained'],
    [{ false_done: 3 }, 'when the agent says 3 times in a row that it is done, and changes nothing new'],
    [
      { same_tool_failure: 5 },
      'when the same tool call fails in the same way in 5 iterations in a row (10 while something new is written)',
    ],
    ['settled', 'when the agent says it is done or changes nothing more'],
    [
      { settled: { only_after_green_start: true } },
      'when, after a green start, the agent says it is done or changes nothing more',
    ],
    [{ consecutive_failures: 3 }, 'after 3 failed iterations in a row'],
    [{ repeated_error: 3 }, 'when the same error occurs 3 times in a row'],
    [{ permission_denied: 3 }, 'after 3 denied tool calls in a row'],
    ['all_tests_pass', 'when all tests pass'],
    [{ all: ['all_tests_pass', { file_created: 'DONE' }] }, 'when all tests pass and DONE exists'],
    [{ all_tests_pass: { fewer_tests: 'allow' } }, 'when all tests pass, even if fewer run'],
    [{ specific_tests_pass: ['a', 'b'] }, 'when these tests pass: a, b'],
    [{ file_created: 'DONE.md' }, 'when DONE.md exists'],
    [{ file_created: { path: 'DONE.md', fresh: true } }, 'when DONE.md is written'],
    [{ file_contains: { path: 'a.md', content: 'ok' } }, 'when a.md contains "ok"'],
    [{ checklist_done: 'PLAN.md' }, 'when every box in PLAN.md is checked'],
    [
      { checklist_done: { path: 'PLAN.md', fresh: true } },
      'when every box in PLAN.md is checked and the list has changed since the start',
    ],
    [{ metric: { command: './p95', better: 'lower', target: 100 } }, 'when "./p95" measures at most 100'],
    [
      { metric: { command: './p95', better: 'higher', target: 100, patience: 4 } },
      'when "./p95" measures at least 100, or gives up after 4 iterations without a better result',
    ],
    [
      { metric: { command: './p95', better: 'higher', patience: 4 } },
      'after 4 iterations without a better result of "./p95"',
    ],
    [{ output_pattern: 'DONE' }, 'when the agent says "DONE"'],
    [{ output_pattern: { pattern: 'D+', is_regex: true } }, 'when the agent says /D+/'],
    ['on_error', 'on any error'],
    [{ on_error: 'disk' }, 'on an error with "disk"'],
    [{ custom_script: 'a.sh' }, 'when a.sh exits 0'],
    [{ custom_script: { script: 'a.sh', args: ['x'] } }, 'when a.sh x exits 0'],
    ['review_approves', 'when the review says that it is done'],
    [{ review_says: 'blocked' }, 'when the review says that the work is blocked'],
    [{ review_says: 'stuck' }, 'when the review says that the work is stuck'],
    [{ check_passes: 'lint' }, 'when the check lint passes'],
    [{ protected_path_changed: ['test/**'] }, 'when the agent changes test/**'],
    [{ diff_exceeds: { files: 1 } }, 'when one iteration changes more than 1 file'],
    [{ diff_exceeds: { files: 9, lines: 500 } }, 'when one iteration changes more than 9 files or 500 lines'],
    ['agent_reports_done', 'when the agent reports that it is done'],
    ['agent_reports_blocked', 'when the agent reports that it is blocked'],
    [
      'needs_person',
      'when the agent reports that it is blocked, asks a person for something in 2 iterations in a row, or lacks a program or a login',
    ],
    ['user_signal', 'when a stop is requested'],
    [{ type: 'function', name: 'enough' }, 'when enough() returns true'],
    [{ retry_rate: 0.5 }, 'when more than 50% of the items need a retry'],
    [
      { reject_rate: { max: 0.3, min_items: 5 } },
      'when more than 30% of the items are rejected or fail, from 5 items on',
    ],
    [{ reject_rate: { max: 0.3, min_items: 1 } }, 'when more than 30% of the items are rejected or fail'],
    [{ consecutive_fails: 3 }, 'after 3 items in a row that are rejected or fail'],
    [{ circuit_breaker: 50 }, 'after 50 attempts in all'],
    [{ all: ['all_tests_pass', { any: ['on_error', 'never'] }] }, 'when all tests pass and (on any error or never)'],
    [{ any: ['all_tests_pass', { all: ['on_error', 'never'] }] }, 'when all tests pass or (on any error and never)'],
    [{ not: 'all_tests_pass' }, 'when not (all tests pass)'],
    [{ all: ['never', { not: 'all_tests_pass' }] }, 'never and not (all tests pass)'],
    [{ all: [{ not: 'never' }, 'never'] }, 'when not (never) and never'],
    [{ for: { iterations: 2, condition: 'all_tests_pass' } }, 'when all tests pass for 2 iterations in a row'],
    ['never', 'never'],
  ];

  it.each(rows)('%j is "%s"', (input, words) => expect(describe(condition(input))).toBe(words));

  it('exists for every type', () => {
    expect(new Set(rows.map(([input]) => condition(input).type))).toEqual(new Set(CONDITION_TYPES));
  });

  it('of a limit that a resume has removed is that there is none', () => {
    expect(describe({ type: 'max_cost', usd: 0 })).toBe('no max_cost');
  });

  it('shows a duration that was never checked as it is', () => {
    expect(describe({ type: 'max_duration', duration: 'soon' })).toBe('after soon of active time');
  });
});
