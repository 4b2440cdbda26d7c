import { describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import * as make from './conditions.js';

describe('factories', () => {
  it.each([
    [() => make.maxIterations(3), { type: 'max_iterations', count: 3 }],
    [() => make.maxDuration('4h'), { type: 'max_duration', duration: '4h' }],
    [() => make.maxDuration(90_000), { type: 'max_duration', duration: '1m 30s' }],
    [() => make.maxDuration(90_061_000), { type: 'max_duration', duration: '1d 1h 1m 1s' }],
    [() => make.deadline('2026-01-31T06:00:00Z'), { type: 'deadline', at: '2026-01-31T06:00:00Z' }],
    [() => make.deadline(new Date(0)), { type: 'deadline', at: '1970-01-01T00:00:00.000Z' }],
    [() => make.maxTokens(1000), { type: 'max_tokens', count: 1000 }],
    [() => make.maxInputTokens(1000), { type: 'max_input_tokens', count: 1000 }],
    [() => make.maxOutputTokens(1000), { type: 'max_output_tokens', count: 1000 }],
    [() => make.maxCostPerDay(20), { type: 'max_cost_per_day', usd: 20 }],
    [() => make.maxCost(0.5), { type: 'max_cost', usd: 0.5 }],
    [() => make.maxCost(0.5, 'gpt-4o'), { type: 'max_cost', usd: 0.5, model: 'gpt-4o' }],
    [() => make.testFailureStreak(3), { type: 'test_failure_streak', count: 3 }],
    [() => make.testFailureStreak(3, { strict: true }), { type: 'test_failure_streak', count: 3, strict: true }],
    [() => make.allTestsPass(), { type: 'all_tests_pass' }],
    [() => make.allTestsPass({ fewerTests: 'allow' }), { type: 'all_tests_pass', fewer_tests: 'allow' }],
    [() => make.specificTestsPass(['a']), { type: 'specific_tests_pass', tests: ['a'] }],
    [() => make.noProgress(5), { type: 'no_progress', iterations: 5 }],
    [() => make.oscillation(2), { type: 'oscillation', count: 2 }],
    [() => make.consecutiveFailures(3), { type: 'consecutive_failures', count: 3 }],
    [() => make.repeatedError(3), { type: 'repeated_error', count: 3 }],
    [() => make.fileCreated('a'), { type: 'file_created', path: 'a' }],
    [() => make.fileContains('a', 'b'), { type: 'file_contains', path: 'a', content: 'b' }],
    [() => make.outputPattern('(a'), { type: 'output_pattern', pattern: '(a' }],
    [() => make.outputRegex('a+'), { type: 'output_pattern', pattern: 'a+', is_regex: true }],
    [() => make.onError(), { type: 'on_error' }],
    [() => make.onError('disk'), { type: 'on_error', pattern: 'disk' }],
    [() => make.customScript('a.sh'), { type: 'custom_script', script: 'a.sh' }],
    [
      () => make.customScript('a.sh', ['x'], { timeout: '5s' }),
      { type: 'custom_script', script: 'a.sh', args: ['x'], timeout: '5s' },
    ],
    [() => make.checkPasses('lint'), { type: 'check_passes', name: 'lint' }],
    [() => make.protectedPathChanged(['test/**']), { type: 'protected_path_changed', paths: ['test/**'] }],
    [() => make.diffExceeds({ files: 9 }), { type: 'diff_exceeds', files: 9 }],
    [() => make.permissionDenied(3), { type: 'permission_denied', count: 3 }],
    [() => make.contextAbove(85), { type: 'context_above', percent: 85 }],
    [() => make.agentReportsDone(), { type: 'agent_reports_done' }],
    [() => make.agentReportsBlocked(), { type: 'agent_reports_blocked' }],
    [() => make.needsPerson(), { type: 'needs_person' }],
    [() => make.falseDone(3), { type: 'false_done', count: 3 }],
    [() => make.sameToolFailure(3), { type: 'same_tool_failure', count: 3 }],
    [() => make.settled(), { type: 'settled' }],
    [() => make.settled({ onlyAfterGreenStart: true }), { type: 'settled', only_after_green_start: true }],
    [() => make.fileCreated('a', { fresh: true }), { type: 'file_created', path: 'a', fresh: true }],
    [() => make.needsPerson(3), { type: 'needs_person', requests: 3 }],
    [() => make.userSignal(), { type: 'user_signal' }],
    [() => make.retryRate(0.5), { type: 'retry_rate', max: 0.5 }],
    [() => make.rejectRate(0.3, { minItems: 5 }), { type: 'reject_rate', max: 0.3, min_items: 5 }],
    [() => make.consecutiveFails(3), { type: 'consecutive_fails', count: 3 }],
    [() => make.circuitBreaker(50), { type: 'circuit_breaker', attempts: 50 }],
    [() => make.allOf(make.never()), { type: 'all', conditions: [{ type: 'never' }] }],
    [() => make.anyOf(make.never()), { type: 'any', conditions: [{ type: 'never' }] }],
    [() => make.not(make.never()), { type: 'not', condition: { type: 'never' } }],
    [() => make.holdsFor(2, make.never()), { type: 'for', iterations: 2, condition: { type: 'never' } }],
    [
      () =>
        make.goal(
          function enough() {
            return true;
          },
          { confirm: 2 },
        ),
      { type: 'function', name: 'enough', class: 'goal', confirm: 2 },
    ],
    [
      () =>
        make.failure(function enough() {
          return true;
        }),
      { type: 'function', name: 'enough', class: 'failure' },
    ],
    [() => make.goal(make.never()), { type: 'never', class: 'goal' }],
    [() => make.goal(make.never(), { confirm: 3 }), { type: 'never', class: 'goal', confirm: 3 }],
    [() => make.failure(make.never()), { type: 'never', class: 'failure' }],
  ])('[c1] [c2] [c31] build %s', (build, data) => {
    const condition = build();
    expect(condition).toEqual(data);
    expect(Object.isFrozen(condition)).toBe(true);
  });

  it('[c6] `and` onto an all extends it, and the same for `or` and any', () => {
    const [a, b, c] = [make.maxIterations(1), make.maxIterations(2), make.maxIterations(3)];
    expect(make.and(make.and(a, b), c)).toEqual(make.allOf(a, b, c));
    expect(make.or(make.or(a, b), c)).toEqual(make.anyOf(a, b, c));
    expect(make.and(make.or(a, b), c)).toEqual(make.allOf(make.anyOf(a, b), c));
    expect(make.or(make.and(a, b), c)).toEqual(make.anyOf(make.allOf(a, b), c));
    expect(make.and(make.goal(make.allOf(a)), b)).toEqual(make.goal(make.allOf(a, b)));
  });

  it.each([
    () => make.maxIterations(0),
    () => make.maxIterations(-1),
    () => make.maxIterations(Number.NaN),
    () => make.maxTokens(1.5),
    () => make.maxCost(0),
    () => make.maxCost(Number.POSITIVE_INFINITY),
    () => make.maxDuration(0),
    () => make.maxDuration(-5),
    () => make.maxDuration(Number.NaN),
    () => make.maxDuration(Number.POSITIVE_INFINITY),
    () => make.maxDuration('90'),
    () => make.deadline(new Date(Number.NaN)),
    () => make.deadline('tomorrow'),
    () => make.allOf(),
    () => make.anyOf(),
    () => make.outputRegex('('),
    () => make.outputRegex('.*'),
    () => make.outputPattern(''),
    () => make.diffExceeds({}),
    () => make.specificTestsPass([]),
    () => make.goal(make.never(), { confirm: 0 }),
    () => make.not({ type: 'nonsense' } as never),
    () => make.failure({ type: 'nonsense' } as never),
    () => make.allOf(make.goal(make.never(), { confirm: 2 })),
    () => make.not(make.failure(make.never())),
  ])('refuse nonsense: %s', (build) => expect(build).toThrow(ConfigError));

  it('name the field', () => {
    expect(() => make.maxIterations(0)).toThrow(/^max_iterations\.count: .*at least 1, not 0/);
    expect(() => make.maxDuration(-5)).toThrow('not "-5"');
    expect(() => make.deadline(new Date(Number.NaN))).toThrow('not "an invalid date"');
  });
});
