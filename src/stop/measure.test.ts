import { describe, expect, it } from 'vitest';
import { condition, facts } from '../../test/support/facts.js';
import { tests } from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import type { Facts } from '../model/judging/facts.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import { measureOf } from './judge.js';

const figures = (input: unknown, more: Partial<Facts> = {}) => {
  const measured = measureOf(condition(input), facts(more));
  return measured && `${measured.value ?? '?'} of ${measured.threshold} ${measured.unit}`;
};
type Case = [unknown, Partial<Facts>, string | undefined];

const boxes = (checked: number, total: number) => ({
  probes: { [conditionKey(condition({ checklist_done: 'PLAN.md' }))]: { boxes: { checked, total, digests: [] } } },
});
const pipeline = { ...NEW_PIPELINE, items: 9, approved: 3, rejected: 1, attempts: 6, consecutiveFails: 1 };

describe('the figures of a condition', () => {
  it.each<Case>([
    [{ max_iterations: 3 }, { iteration: 1 }, '1 of 3 iterations'],
    [{ max_iterations: 3 }, { iteration: 1, pipeline }, '1 of 3 attempts'],
    [{ max_iterations: 3 }, {}, '? of 3 iterations'],
    [{ max_duration: '1s' }, { activeMs: 250 }, '250 of 1000 ms'],
    [{ max_tokens: 9 }, { spend: { totalTokens: 7, inputTokens: 6, outputTokens: 1 } }, '7 of 9 tokens'],
    [{ max_input_tokens: 9 }, { spend: { totalTokens: 7, inputTokens: 6, outputTokens: 1 } }, '6 of 9 tokens'],
    [{ max_output_tokens: 9 }, { spend: { totalTokens: 7, inputTokens: 6, outputTokens: 1 } }, '1 of 9 tokens'],
    [{ max_cost: 5 }, { spend: { costUsd: 1.5 } }, '1.5 of 5 usd'],
    [{ max_cost: 5 }, { spend: { costUsd: Number.NaN } }, '? of 5 usd'],
    [{ max_cost_per_day: 20 }, { dayCostUsd: 3, batchCostUsd: 4 }, '3 of 20 usd'],
    [{ max_cost_of_batch: 20 }, { dayCostUsd: 3, batchCostUsd: 4 }, '4 of 20 usd'],
    [{ circuit_breaker: 20 }, { pipeline }, '6 of 20 attempts'],
    [{ circuit_breaker: 20 }, {}, '? of 20 attempts'],
  ])('of a limit, %j with %j: %s', (input, more, expected) => expect(figures(input, more)).toBe(expected));

  it.each<Case>([
    [{ test_failure_streak: 3 }, { streaks: { testFailures: 2, strictTestFailures: 1 } }, '2 of 3 iterations'],
    [{ test_failure_streak: 3 }, { streaks: { testFailures: 2, redWeight: 1.5 } }, '1.5 of 3 iterations'],
    [
      { test_failure_streak: { count: 3, strict: true } },
      { streaks: { testFailures: 2, strictTestFailures: 1 } },
      '1 of 3 iterations',
    ],
    [{ no_progress: 3 }, { streaks: { withoutProgress: 2 } }, '2 of 3 iterations'],
    [{ oscillation: 3 }, { streaks: { oscillations: 2 } }, '2 of 3 times'],
    [{ false_done: 3 }, { streaks: { doneStreak: 2 } }, '2 of 3 times'],
    [{ false_done: 3 }, {}, '0 of 3 times'],
    [{ consecutive_failures: 3 }, { streaks: { failures: 2 } }, '2 of 3 iterations'],
    [{ repeated_error: 3 }, { streaks: { sameError: 2 } }, '2 of 3 times'],
    [{ permission_denied: 3 }, { streaks: { denials: 2 } }, '2 of 3 times'],
    [{ needs_person: 3 }, { streaks: { requests: 2 } }, '2 of 3 iterations'],
    ['needs_person', { streaks: { requests: 1 } }, '1 of 2 iterations'],
    [{ same_tool_failure: 3 }, {}, '0 of 3 iterations'],
    [
      { same_tool_failure: 3 },
      { streaks: { toolFailures: { a: { count: 1, weight: 1, text: 'a' }, b: { count: 2, weight: 2, text: 'b' } } } },
      '2 of 3 iterations',
    ],
    [{ consecutive_fails: 3 }, { pipeline }, '1 of 3 items'],
    [{ consecutive_fails: 3 }, {}, '? of 3 items'],
  ])('of a streak, %j with %j: %s', (input, more, expected) => expect(figures(input, more)).toBe(expected));

  it.each<Case>([
    [{ context_above: 85 }, { contextPercent: 20 }, '20 of 85 percent'],
    [{ reject_rate: 0.5 }, { pipeline }, '0.25 of 0.5 part'],
    [{ reject_rate: 0.5 }, {}, '? of 0.5 part'],
    [{ diff_exceeds: { files: 4 } }, { files: { changedFiles: 1, changedLines: 50 } }, '1 of 4 files'],
    [{ diff_exceeds: { files: 4, lines: 100 } }, { files: { changedFiles: 1, changedLines: 50 } }, '50 of 100 lines'],
    [{ diff_exceeds: { files: 4 } }, {}, '? of 4 files'],
    [{ diff_exceeds: { lines: 100 } }, {}, '? of 100 lines'],
    ['all_tests_pass', { tests: tests(3, 1) }, '3 of 4 tests'],
    ['all_tests_pass', { tests: tests(3, 1), baselineTests: tests(1, 1) }, '3 of 4 tests'],
    ['all_tests_pass', { tests: tests(3, 1), baselineTests: tests(4, 2) }, '3 of 6 tests'],
    ['all_tests_pass', { tests: { source: 'harness', exitCode: 1, details: [] } }, undefined],
    ['all_tests_pass', {}, undefined],
    [{ checklist_done: 'PLAN.md' }, boxes(5, 12), '5 of 12 boxes'],
    [{ checklist_done: 'PLAN.md' }, boxes(0, 0), undefined],
    [{ checklist_done: 'PLAN.md' }, {}, undefined],
  ])('of an amount, %j with %j: %s', (input, more, expected) => expect(figures(input, more)).toBe(expected));

  it('are none of a time of the clock, a file, a composite, or a duration that was never checked', () => {
    expect(figures({ deadline: '2026-03-01T06:00:00Z' }, { nowMs: 5 })).toBeUndefined();
    expect(figures({ file_created: 'x' })).toBeUndefined();
    expect(figures({ all: [{ max_iterations: 3 }] }, { iteration: 1 })).toBeUndefined();
    expect(measureOf({ type: 'max_duration', duration: 'soon' }, facts({ activeMs: 5 }))).toBeUndefined();
  });
});
