import { describe, expect, it } from 'vitest';
import { started, stateAfter } from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import { ConfigError } from '../model/errors.js';
import * as make from '../stop/conditions.js';
import { evaluateCondition, evaluatePolicy, evaluateStopConditions } from './evaluate.js';
import type { StopConditionContext } from './stop-condition-context.js';

const usage = { inputTokens: 100_000, outputTokens: 10_000 };
const spending = { iteration: 1, model: 'claude-sonnet-4-5', usage };

describe('evaluateStopConditions', () => {
  it('[c35] returns null when no condition triggers', () => {
    expect(evaluateStopConditions([make.maxIterations(10), make.maxCost(1)], spending)).toBeNull();
    expect(evaluateStopConditions([], spending)).toBeNull();
  });

  it('[c36] returns the first that triggers, in the order given', () => {
    const conditions = [make.maxIterations(5), make.maxTokens(1000), make.maxIterations(1)];
    expect(evaluateStopConditions(conditions, spending)).toMatchObject({
      condition: { type: 'max_tokens' },
      isMet: true,
    });
  });

  it('[c32] maxIterations(3) stops at 3', () => {
    const at = (iteration: number) => evaluateStopConditions([make.maxIterations(3)], { iteration });
    expect([at(1), at(2)]).toEqual([null, null]);
    expect(at(3)).toMatchObject({ status: 'met', reason: '3 of 3 iterations', progress: 1 });
    expect(at(4)?.isMet).toBe(true);
  });

  it('[c33] maxTokens(1000) stops at 1000 or more, from the total or from its parts', () => {
    const at = (tokens: object) => evaluateStopConditions([make.maxTokens(1000)], { usage: tokens })?.isMet ?? false;
    expect([at({ totalTokens: 999 }), at({ totalTokens: 1000 }), at({ inputTokens: 600, outputTokens: 400 })]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('[c34] maxCost(0.50) stops at $0.50, priced from usage and model', () => {
    const at = (inputTokens: number) =>
      evaluateStopConditions([make.maxCost(0.5)], {
        model: 'claude-sonnet-4-5',
        usage: { inputTokens, outputTokens: 10_000 },
      });
    expect(at(116_666)).toBeNull();
    expect(at(116_667)).toMatchObject({ reason: '$0.50 of $0.50' });
  });

  it('[c34] a price that is unknown stops, and says so', () => {
    const context = { ...spending, model: 'no-such-model-9' };
    expect(evaluateStopConditions([make.maxCost(100)], context)).toMatchObject({
      isMet: true,
      status: 'met',
      reason: expect.stringMatching(/unknown.*price.*no-such-model-9/),
    });
    expect(evaluateCondition(make.maxCost(100), context).status).toBe('unknown');
    expect(evaluateStopConditions([make.maxCost(100)], { iteration: 3, usage })?.reason).toContain(
      'usage that names no model',
    );
  });

  it('usage that is missing after an iteration stops a budget; before the first it is only unknown', () => {
    expect(evaluateStopConditions([make.maxTokens(100)], { iteration: 1 })?.reason).toContain(
      'the context has no usage',
    );
    expect(evaluateStopConditions([make.maxTokens(100)], { iteration: 0 })).toBeNull();
    expect(evaluateStopConditions([make.maxTokens(100)], {})).toBeNull();
    expect(
      evaluateStopConditions([make.maxOutputTokens(100)], { model: 'gpt-4o', costUsd: 1, usage: { inputTokens: 5 } })
        ?.reason,
    ).toMatch(/all of the usage/);
  });

  it('figures that cannot be are unknown, and stop a budget', () => {
    for (const nonsense of [Number.NaN, -5, Number.POSITIVE_INFINITY, 1e300]) {
      expect(evaluateStopConditions([make.maxCost(1)], { iteration: 3, costUsd: nonsense })?.reason).toContain(
        'spend unknown',
      );
      expect(
        evaluateStopConditions([make.maxTokens(1)], { usage: { inputTokens: nonsense, outputTokens: 1 } })?.reason,
      ).toContain('spend unknown');
    }
    expect(
      evaluateStopConditions([make.maxTokens(100)], { usage: { inputTokens: 1e6, outputTokens: 1, totalTokens: 0 } })
        ?.isMet,
    ).toBe(true);
    expect(evaluateStopConditions([make.holdsFor(2, make.maxCost(1))], { usage, model: 'mystery' })?.isMet).toBe(true);
    expect(
      evaluateStopConditions([make.maxTokens(9)], { model: 'gpt-4o', usage: { inputTokens: 5 } })?.reason,
    ).toContain('does not have all');
  });

  it('a known cost is taken as it is, and a model given with the limit prices a context that names none', () => {
    expect(evaluateStopConditions([make.maxCost(5)], { usage, costUsd: 5 })?.isMet).toBe(true);
    expect(evaluateStopConditions([make.maxCost(0.4, 'claude-sonnet-4-5')], { usage })?.reason).toBe('$0.45 of $0.40');
  });

  it('judges a recorded run as well as a context', () => {
    expect(evaluateStopConditions([make.maxIterations(1)], stateAfter(started()))).toBeNull();
  });
});

describe('a bare context', () => {
  const judged = (...args: Parameters<typeof evaluateCondition>) => evaluateCondition(...args).status;

  it('leaves unknown what it does not tell', () => {
    const everything = [
      make.maxIterations(1),
      make.maxDuration('1s'),
      make.deadline('2026-01-31T06:00:00Z'),
      make.maxTokens(1),
      make.maxCost(1),
      make.testFailureStreak(1),
      make.allTestsPass(),
      make.specificTestsPass(['a']),
      make.noProgress(1),
      make.oscillation(1),
      make.consecutiveFailures(1),
      make.repeatedError(1),
      make.fileCreated('a'),
      make.fileContains('a', 'b'),
      make.outputPattern('a'),
      make.onError(),
      make.customScript('a'),
      make.checkPasses('a'),
      make.protectedPathChanged(['a']),
      make.diffExceeds({ files: 1 }),
      make.permissionDenied(1),
      make.contextAbove(1),
      make.userSignal(),
      make.retryRate(0.1),
      make.consecutiveFails(1),
      make.circuitBreaker(1),
      make.holdsFor(1, make.never()),
    ];
    for (const condition of everything)
      expect(`${condition.type} ${judged(condition, {})}`).toBe(`${condition.type} unknown`);
  });

  it('[c10] measures time between start and now', () => {
    const startTime = new Date('2026-03-01T00:00:00Z');
    expect(judged(make.maxDuration('1h'), { startTime, currentTime: '2026-03-01T00:59:59Z' })).toBe('not-met');
    expect(judged(make.maxDuration('1h'), { startTime, currentTime: Date.parse('2026-03-01T01:00:00Z') })).toBe('met');
    expect(judged(make.maxDuration('1h'), { startTime })).toBe('unknown');
    expect(judged(make.maxDuration('1h'), { startTime, currentTime: '2025-01-01T00:00:00Z' })).toBe('not-met');
    expect(judged(make.maxDuration('1h'), { startTime, currentTime: 'soon' })).toBe('unknown');
    expect(judged(make.deadline('2026-03-01T01:00:00Z'), { currentTime: startTime })).toBe('not-met');
  });

  it('[c12] matches text and regular expressions in recent output', () => {
    const said = { recentOutput: 'line one\nALL TESTS PASSED (42)' };
    expect(judged(make.outputPattern('ALL TESTS'), said)).toBe('met');
    expect(judged(make.outputPattern('all tests'), said)).toBe('not-met');
    expect(judged(make.outputRegex('^ALL .* \\(\\d+\\)$'), said)).toBe('met');
    expect(judged(make.not(make.outputRegex('^line two')), said)).toBe('met');
  });

  it('knows tests by name', () => {
    const context = { passedTests: ['a', 'b'], failedTests: ['c'] };
    expect(judged(make.specificTestsPass(['a', 'b']), context)).toBe('met');
    expect(judged(make.specificTestsPass(['a', 'c']), context)).toBe('not-met');
    expect(judged(make.allTestsPass(), context)).toBe('not-met');
    expect(judged(make.allTestsPass(), { passedTests: ['a'], failedTests: [] })).toBe('met');
    expect(judged(make.allTestsPass(), { passedTests: ['a'] })).toBe('unknown');
    expect(judged(make.specificTestsPass(['a']), { passedTests: ['a'] })).toBe('met');
    expect(judged(make.allTestsPass(), { failedTests: [] })).toBe('not-met');
  });

  it('knows streaks, errors, signals, checks, changes and probes', () => {
    expect(judged(make.testFailureStreak(2), { testFailureStreak: 2 })).toBe('met');
    expect(judged(make.testFailureStreak(2, { strict: true }), { testFailureStreak: 2 })).toBe('met');
    expect(judged(make.noProgress(2), { iterationsSinceProgress: 1 })).toBe('not-met');
    expect(judged(make.consecutiveFailures(2), { failureStreak: 2 })).toBe('met');
    expect(judged(make.oscillation(2), { oscillations: 2 })).toBe('met');
    expect(judged(make.repeatedError(2), { sameErrorStreak: 2 })).toBe('met');
    expect(judged(make.permissionDenied(2), { denials: 2 })).toBe('met');
    expect(judged(make.onError('disk'), { hasError: true, errorMessage: 'disk full' })).toBe('met');
    expect(judged(make.onError('net'), { errorMessage: 'disk full' })).toBe('not-met');
    expect(judged(make.onError(), { hasError: true })).toBe('met');
    expect(judged(make.onError(), { hasError: false })).toBe('not-met');
    expect(judged(make.userSignal(), { userSignal: true })).toBe('met');
    expect(judged(make.checkPasses('lint'), { checks: { lint: { passed: true } } })).toBe('met');
    expect(judged(make.diffExceeds({ files: 1 }), { changes: { changedFiles: 2, changedLines: 2 } })).toBe('met');
    expect(judged(make.contextAbove(85), { contextPercent: 86 })).toBe('met');
    const file = make.fileCreated('DONE.md');
    expect(judged(file, { probes: { [conditionKey(file)]: { met: true } } })).toBe('met');
    const lasting = make.holdsFor(2, make.maxIterations(1));
    expect(judged(lasting, { iteration: 2, holds: { [conditionKey(lasting)]: { iterations: 1, upTo: 1 } } })).toBe(
      'met',
    );
  });
});

describe('plain objects as conditions', () => {
  it('are read before they are believed', () => {
    expect(() => evaluateCondition({ type: 'max_iterations', count: Number.NaN }, {})).toThrow(
      'condition.count: must be',
    );
    expect(() => evaluateStopConditions([make.never(), { type: 'all', conditions: [] }], {})).toThrow(
      'conditions[1].conditions',
    );
    expect(() => evaluateCondition('nonsense' as never, {})).toThrow(ConfigError);
    expect(() => evaluatePolicy({ success: [], failure: [], limits: [null as never] }, {})).toThrow(ConfigError);
    expect(() => evaluatePolicy({ success: [], failure: [], limits: [], limit: [] } as never, {})).toThrow(
      'did you mean "limits"?',
    );
    expect(() => evaluatePolicy({ success: [], failure: [], limits: [{ type: 'max_cost', usd: -1 }] }, {})).toThrow(
      'stop.limits[0].usd',
    );
  });

  it('may be changed between two calls', () => {
    const limit = { type: 'max_iterations' as const, count: 5 };
    expect(evaluateCondition(limit, { iteration: 2 }).isMet).toBe(false);
    limit.count = 2;
    expect(evaluateCondition(limit, { iteration: 2 }).isMet).toBe(true);
  });
});

describe('a goal that is to be confirmed', () => {
  const twice = make.goal(make.fileCreated('DONE.md'), { confirm: 2 });
  const seen = { probes: { [conditionKey(twice)]: { met: true } } };

  it('is not met after one look', () => {
    expect(evaluateStopConditions([twice], seen)).toBeNull();
    expect(evaluateStopConditions([twice], { ...seen, confirmations: [seen] })?.isMet).toBe(true);
    expect(evaluateCondition(twice, { ...seen, confirmations: [{}] }).status).toBe('not-met');
  });
});

describe('evaluatePolicy', () => {
  it('sees what was added to a policy since the last call', () => {
    const limits = [make.maxIterations(9)];
    const policy = { success: [], failure: [], limits };
    expect(evaluatePolicy(policy, { iteration: 5 }).stop).toBe(false);
    limits.push(make.maxIterations(3));
    expect(evaluatePolicy(policy, { iteration: 5 }).stop).toBe(true);
  });

  it('says whether to stop, why, and how far everything is', () => {
    const policy = { success: [make.allTestsPass()], failure: [], limits: [make.maxIterations(4), make.maxCost(9)] };
    const verdict = evaluatePolicy(policy, { ...spending, iteration: 4, passedTests: ['a'], failedTests: ['b'] });
    expect(verdict).toMatchObject({ stop: true, class: 'limit', reasons: [{ message: '4 of 4 iterations' }] });
    expect(verdict.judgements.map((judgement) => judgement.sentence)).toEqual([
      '1 of 2 tests fail',
      '4 of 4 iterations',
      '$0.45 of $9.00',
    ]);
  });
});

it.each([
  [{ iterations: 3 }, 'context.iterations: unknown key; did you mean "iteration"?'],
  [{ passed_tests: ['a'] }, 'context.passed_tests: unknown key; did you mean "passedTests"?'],
])('refuses a misspelt fact instead of judging without it: %j', (context, message) => {
  expect(() => evaluateCondition(make.maxIterations(3), context as StopConditionContext)).toThrow(message);
  expect(() => evaluateStopConditions([make.maxIterations(3)], context as StopConditionContext)).toThrow(message);
});

it('a context may have more in it than Pawl knows', () => {
  const context = { iteration: 3, myOwnThing: 1 } as StopConditionContext;
  expect(evaluateCondition(make.maxIterations(3), context).isMet).toBe(true);
});
