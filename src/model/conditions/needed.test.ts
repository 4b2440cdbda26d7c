import { describe, expect, it } from 'vitest';
import { condition, facts, judged } from '../../../test/support/facts.js';
import { tests } from '../../../test/support/record.js';
import { neededFor } from '../../replay/needed.js';
import { conditionKey } from '../condition-key.js';
import type { Facts } from '../judging/facts.js';
import { NEW_PIPELINE } from '../reduce-pipeline.js';

const needed = (input: unknown, more: Partial<Facts>) => neededFor(judged(input, more), facts(more));
type Case = [unknown, Partial<Facts>, string | RegExp];

const inPipeline = { pipeline: { ...NEW_PIPELINE, items: 9, attempts: 3, consecutiveFails: 1 } };
const failing = (weight: number) => ({ toolFailures: { x: { count: 4, weight, text: 'no such file' } } });
const boxes = (checked: number, total: number) => ({
  probes: { [conditionKey(condition({ checklist_done: 'PLAN.md' }))]: { boxes: { checked, total, digests: [] } } },
});
const diff = (limits: object) => ({ diff_exceeds: limits });

describe('what it would take to meet a condition', () => {
  it.each<Case>([
    [{ max_iterations: 3 }, { iteration: 1 }, '2 more iterations'],
    [{ max_iterations: 3 }, { iteration: 2 }, '1 more iteration'],
    [{ max_iterations: 3 }, { iteration: 1, ...inPipeline }, '2 more attempts'],
    [{ max_duration: '1h' }, { activeMs: 3_540_000 }, /^1m more/],
    [{ max_tokens: 1000 }, { spend: { totalTokens: 999 } }, '1 more token'],
    [{ max_input_tokens: 1000 }, { spend: { inputTokens: 10 } }, '990 more tokens'],
    [{ max_cost: 5 }, { spend: { costUsd: 1.5 } }, '$3.50 more'],
    [{ max_cost_per_day: 20 }, { dayCostUsd: 15 }, '$5.00 more'],
    [{ max_cost_of_batch: 20 }, { batchCostUsd: 19 }, '$1.00 more'],
    [{ circuit_breaker: 4 }, inPipeline, '1 more attempt'],
    [{ consecutive_fails: 3 }, inPipeline, '2 more failed items'],
  ])('is the rest of a limit: %j with %j takes %s', (input, more, expected) => {
    if (typeof expected === 'string') expect(needed(input, more)).toBe(expected);
    else expect(needed(input, more)).toMatch(expected);
  });

  it.each<Case>([
    [{ no_progress: 5 }, { streaks: { withoutProgress: 3 } }, /^2 more iterations without progress/],
    [{ no_progress: 5 }, { streaks: { withoutProgress: 3 }, ...inPipeline }, /^2 more attempts/],
    [{ oscillation: 3 }, { streaks: { oscillations: 2 } }, /^1 more return /],
    [{ false_done: 3 }, { streaks: { doneStreak: 1 } }, /say 2 more times/],
    [{ false_done: 3 }, {}, /say 3 more times/],
    [{ consecutive_failures: 3 }, { streaks: { failures: 1 } }, /^2 more failed iterations$/],
    [{ consecutive_failures: 3 }, { streaks: { failures: 1 }, ...inPipeline }, /^2 more failed attempts$/],
    [{ repeated_error: 3 }, { streaks: { sameError: 2 } }, /the same error 1 more time$/],
    [{ permission_denied: 3 }, { streaks: { denials: 1 } }, /^2 more denied tool calls$/],
    [{ test_failure_streak: 3 }, { streaks: { testFailures: 1 } }, /2 more iterations with failing tests/],
    [{ test_failure_streak: 3 }, { streaks: { testFailures: 1 }, ...inPipeline }, /2 more attempts/],
    [{ same_tool_failure: 5 }, {}, /5 more iterations/],
    [{ needs_person: 3 }, { streaks: { requests: 1 } }, /^2 more iterations that end with a request/],
    [{ needs_person: 3 }, { streaks: { requests: 2 } }, /^1 more iteration that ends with a request/],
    [{ needs_person: 3 }, { streaks: { requests: 2 }, ...inPipeline }, /^1 more attempt /],
    ['needs_person', { streaks: { requests: 1 } }, /^1 more iteration /],
    ['needs_person', {}, /blocked.*asking a person/],
  ])('is the rest of a streak: %j with %j takes %s', (input, more, expected) => {
    expect(needed(input, more)).toMatch(expected);
  });

  it.each<Case>([
    [{ test_failure_streak: 3 }, { streaks: { testFailures: 2, redWeight: 4 / 3 } }, / 2 more iterations/],
    [{ same_tool_failure: 5 }, { streaks: failing(8 / 3) }, / 3 more iterations/],
  ])('counts whole iterations where some weigh less: %j with %j takes %s', (input, more, expected) => {
    expect(needed(input, more)).toMatch(expected);
  });

  it.each<Case>([
    ['all_tests_pass', { tests: tests(2, 1) }, /^1 more test to pass$/],
    ['all_tests_pass', { tests: tests(3, 2), baselineTests: tests(5, 1) }, /^2 more tests to pass and 1 test .*again/],
    ['all_tests_pass', { tests: tests(5, 0), baselineTests: tests(5, 1) }, /^1 test to run again/],
    ['all_tests_pass', { tests: tests(5, 0, { exitCode: 3 }) }, /^all tests to pass$/],
    ['all_tests_pass', {}, /^all tests to pass$/],
    [{ specific_tests_pass: ['a', 'b'] }, {}, /tests to pass: a, b$/],
    [{ check_passes: 'lint' }, {}, /check lint to pass/],
    [{ file_created: 'DONE.md' }, {}, /^DONE\.md to exist/],
    [{ file_contains: { path: 'a.md', content: 'ok' } }, {}, /^a\.md to contain "ok"/],
    [{ custom_script: 'check.sh' }, {}, /^check\.sh to exit 0/],
    [{ type: 'function', name: 'enough' }, {}, /^enough\(\) to return true/],
    [{ output_pattern: 'ALL DONE' }, {}, /to say "ALL DONE"$/],
    [{ output_pattern: { pattern: 'D+', is_regex: true } }, {}, /to say \/D\+\/$/],
    [{ checklist_done: 'PLAN.md' }, boxes(5, 12), /^7 boxes more to be checked$/],
    [{ checklist_done: 'PLAN.md' }, boxes(11, 12), /^1 box more to be checked$/],
    [{ checklist_done: 'PLAN.md' }, boxes(0, 0), /^every box in PLAN\.md to be checked$/],
    [{ checklist_done: 'PLAN.md' }, {}, /^every box in PLAN\.md to be checked$/],
    [{ metric: { command: './p95', better: 'lower', target: 100 } }, {}, /^"\.\/p95" to measure at most 100$/],
    [{ metric: { command: './p95', better: 'lower', patience: 3 } }, {}, /^a target, which it does not have$/],
    ['review_approves', {}, /^the review to say that it is done$/],
    [{ review_says: 'stuck' }, {}, /^the review to say that the work is stuck$/],
    ['agent_reports_done', {}, /report.* done/],
    ['agent_reports_blocked', {}, /report.* blocked/],
    ['settled', { agentChangedSomething: true, iteration: 1 }, /to say that it is done, or to change nothing more/],
    ['settled', { iteration: 1 }, /to say that it is done/],
    ['settled', { agentChangedSomething: false, iteration: 1 }, /^the agent to change something/],
  ])('is what a goal waits for: %j with %j takes %s', (input, more, expected) => {
    expect(needed(input, more)).toMatch(expected);
  });

  it.each<Case>([
    ['on_error', { errors: [] }, /^an error$/],
    [{ on_error: 'disk' }, { errors: [] }, /^an error with "disk"$/],
    [{ protected_path_changed: ['test/**', 'ci/*'] }, {}, /change of test\/\*\*, ci\/\*/],
    [diff({ files: 4 }), {}, /more than 4 files\)/],
    [diff({ lines: 100 }), {}, /more than 100 lines\)/],
    [diff({ files: 1, lines: 1 }), {}, /more than 1 file or 1 line\)/],
    [{ context_above: 85 }, { contextPercent: 20 }, /more than 85% of the context/],
    [{ deadline: '2026-03-01T06:00:00Z' }, { nowMs: 0 }, /reach 2026-03-01T06:00:00Z$/],
    ['user_signal', { userSignal: false }, /stop to be requested/],
    [{ retry_rate: 0.5 }, inPipeline, /above 50%/],
    [{ max_cost: 5 }, {}, /not known/],
  ])('is the event that a stop waits for: %j with %j takes %s', (input, more, expected) => {
    expect(needed(input, more)).toMatch(expected);
  });
});
