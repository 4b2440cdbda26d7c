import { describe, expect, it } from 'vitest';
import { condition } from '../../../test/support/facts.js';
import { CONDITION_CATALOG, needsOf } from '../condition-catalog.js';
import type { PlannedAgent, PlannedRun } from '../judging/condition-definition.js';

const RUN: PlannedRun = { continuesSession: true, contextRedlinePercent: 80, isOutermost: true };
const AGENT: PlannedAgent = { hasPrice: () => true };

function warning(input: unknown, run: Partial<PlannedRun> = {}) {
  const given = condition(input);
  return CONDITION_CATALOG[given.type].warn?.(given, { ...RUN, ...run });
}

function agentWarning(input: unknown, agent: Partial<PlannedAgent>) {
  const given = condition(input);
  return CONDITION_CATALOG[given.type].warnOfAgent?.(given, { ...AGENT, ...agent });
}

describe('a condition that can never be met, or ends the run at once, is named before the run starts', () => {
  it('a context that is to be fuller than it can be', () => {
    expect(warning({ context_above: 100 })?.message).toMatch(/never.*100 %/);
    expect(warning({ context_above: 100 }, { continuesSession: false })?.message).toMatch(/never/);
    expect(warning({ context_above: 79 })).toBeUndefined();
  });

  it('a context above the redline, where the session starts afresh', () => {
    expect(warning({ context_above: 80 })?.message).toMatch(/context_above 80 .*redline of 80/);
    expect(warning({ context_above: 99 })?.message).toMatch(/context_above 99 .*redline of 80/);
    expect(warning({ context_above: 99 }, { continuesSession: false })).toBeUndefined();
  });

  it('a context of an agent that does not report it', () => {
    expect(agentWarning({ context_above: 50 }, { contextProblem: 'codex does not report it' })).toMatch(
      /never.*codex does not report it$/,
    );
    expect(agentWarning({ context_above: 50 }, {})).toBeUndefined();
  });

  it('a deadline that has passed, unless it is a part of another condition', () => {
    const at = '2026-03-01T06:00:00Z';
    const now = Date.parse(at);
    expect(warning({ deadline: at }, { now })).toMatchObject({ field: 'at', message: expect.stringContaining(at) });
    expect(warning({ deadline: at }, { now: now - 1 })).toBeUndefined();
    expect(warning({ deadline: at }, { now, isOutermost: false })).toBeUndefined();
    expect(warning({ deadline: at })).toBeUndefined();
  });

  it('a budget at the price of a model that has none', () => {
    const budget = { max_cost: { usd: 5, model: 'mystery-1' } };
    expect(agentWarning(budget, { hasPrice: (model) => model !== 'mystery-1' })).toMatch(/mystery-1.*`prices`/);
    expect(agentWarning(budget, { hasPrice: (model) => model === 'mystery-1' })).toBeUndefined();
    expect(agentWarning({ max_cost: 5 }, { hasPrice: () => false })).toBeUndefined();
  });

  it.each([
    [{ test_failure_streak: 4 }, 4],
    [{ no_progress: 4 }, 4],
    [{ oscillation: 4 }, 4],
    [{ false_done: 4 }, 4],
    [{ same_tool_failure: 4 }, 4],
    [{ consecutive_failures: 4 }, 4],
    [{ for: { iterations: 4, condition: 'all_tests_pass' } }, 4],
    [{ max_cost: 4 }, undefined],
  ])('a streak that is longer than the run: %j takes %s iterations', (input, iterations) => {
    const given = condition(input);
    expect(CONDITION_CATALOG[given.type].iterationsNeeded?.(given)).toBe(iterations);
  });
});

describe('what an iteration must observe for a condition', () => {
  it.each([
    ['all_tests_pass', { tests: 'all', originalsSince: 2 }],
    [{ all_tests_pass: { fewer_tests: 'allow' } }, { tests: 'all' }],
    [{ specific_tests_pass: ['a', 'b'] }, { tests: ['a', 'b'] }],
    [{ test_failure_streak: 3 }, { tests: 'all' }],
    [{ no_progress: 3 }, { files: true }],
    [{ oscillation: 3 }, { files: true }],
    [{ diff_exceeds: { files: 3 } }, { files: true }],
    [{ protected_path_changed: ['ci/*'] }, { files: true, guard: { paths: ['ci/*'] } }],
    [{ check_passes: 'lint' }, { check: 'lint' }],
    ['review_approves', { review: 'agreement' }],
    [{ review_says: 'stuck' }, { review: 'opinion' }],
    [{ checklist_done: 'PLAN.md' }, { probe: { kind: 'checklist', path: 'PLAN.md' } }],
    [{ output_pattern: 'DONE' }, { output: { pattern: 'DONE' } }],
    [{ max_cost: { usd: 5, model: 'm' } }, { priceOf: 'm' }],
    [{ file_created: { path: 'a', fresh: true } }, { probe: { kind: 'file', path: 'a', fresh: true } }],
    [{ file_contains: { path: 'a', content: 'b' } }, { probe: { kind: 'file', path: 'a', content: 'b' } }],
    [{ type: 'function', name: 'enough' }, { probe: { kind: 'function', name: 'enough' } }],
    [
      { custom_script: { script: 'a.sh', args: ['x'], timeout: '5s' } },
      { probe: { kind: 'program', script: 'a.sh', args: ['x'], timeout: '5s' } },
    ],
    [{ max_iterations: 3 }, {}],
  ])('%j: %j', (input, needs) => expect(needsOf(condition(input))).toMatchObject(needs));

  it('a metric needs its measurement, and the files of the best one where they are to be kept', () => {
    const p95 = { command: './p95', better: 'lower', target: 100, timeout: '5s' };
    const needs = (more: object) => needsOf(condition({ metric: { ...p95, patience: 3, ...more } }));
    expect(needs({})).toEqual({ probe: { kind: 'measurement', ...p95 } });
    expect(needs({ keep_best: false }).snapshots).toBeUndefined();
    expect(needs({ keep_best: true })).toEqual({
      probe: { kind: 'measurement', ...p95, keep_best: true },
      snapshots: 'keep_best',
    });
  });

  it('the tests of the start are not asked where fewer tests are allowed', () => {
    expect(needsOf(condition({ all_tests_pass: { fewer_tests: 'allow' } }))).toEqual({ tests: 'all' });
  });
});
