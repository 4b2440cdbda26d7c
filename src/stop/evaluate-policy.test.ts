import { describe, expect, it } from 'vitest';
import { condition, facts } from '../../test/support/facts.js';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  started,
  stateAfter,
  tests,
  trees,
  used,
} from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import type { Policy } from '../model/policy.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import { evaluateLive, evaluatePolicy, evaluateRun, judgeEntry, judgementsNow } from './evaluate-policy.js';
import type { Facts } from '../model/judging/facts.js';
import { factsOf } from './facts.js';

const policy = (
  lists: Partial<Record<'success' | 'failure' | 'limits' | 'conditions', unknown[]>>,
  more: Partial<Policy> = {},
): Policy => ({
  success: (lists.success ?? []).map(condition),
  failure: (lists.failure ?? []).map(condition),
  limits: (lists.limits ?? []).map(condition),
  conditions: (lists.conditions ?? []).map(condition),
  ...more,
});
const verdict = (lists: Parameters<typeof policy>[0], more: Partial<Facts>, options: Partial<Policy> = {}) =>
  evaluatePolicy(policy(lists, options), facts(more));
const reasons = (...args: Parameters<typeof verdict>) =>
  verdict(...args).reasons.map((reason) => `${reason.path} ${reason.class}`);

const protectedPath = { protected_path_changed: 'test/**' };
const touched = { [conditionKey(condition(protectedPath))]: { met: true, detail: 'test/a.test.ts changed' } };

describe('the verdict', () => {
  it('is to go on when nothing is met, and says how far everything is', () => {
    const result = verdict({ success: ['all_tests_pass'], limits: [{ max_iterations: 4 }] }, { iteration: 1 });
    expect(result).toEqual({
      stop: false,
      reasons: [],
      judgements: [
        {
          path: 'stop.success[0]',
          class: 'goal',
          status: 'unknown',
          sentence: 'the tests were not run after iteration 1',
        },
        { path: 'stop.limits[0]', class: 'limit', status: 'not-met', progress: 0.25, sentence: '1 of 4 iterations' },
      ],
      holds: {},
    });
    expect('class' in result).toBe(false);
  });

  it('of a pipeline counts attempts and leaves the words of other programs as they are', () => {
    const lastError = { kind: 'other', message: 'no fit after 500 iterations', fingerprint: 'x' } as const;
    const streaks = { failures: 2, sameError: 2, lastError };
    const { reasons } = verdict(
      { failure: [{ consecutive_failures: 2 }, { repeated_error: 2 }] },
      { iteration: 2, streaks, pipeline: { ...NEW_PIPELINE, items: 3 } },
    );
    expect(reasons).toMatchObject([
      { path: 'stop.failure[0]', message: expect.stringMatching(/2 .*attempts/) },
      { path: 'stop.failure[1]', message: expect.stringMatching(/2 .*"no fit after 500 iterations"/) },
    ]);
  });

  it('a goal met on the last permitted iteration is a success', () => {
    const result = verdict(
      { success: ['all_tests_pass'], limits: [{ max_iterations: 3 }] },
      { iteration: 3, tests: tests(2, 0) },
    );
    expect(result).toMatchObject({ stop: true, class: 'goal' });
    expect(result.reasons).toEqual([
      { path: 'stop.success[0]', class: 'goal', condition: { type: 'all_tests_pass' }, message: 'both tests pass' },
      {
        path: 'stop.limits[0]',
        class: 'limit',
        condition: { type: 'max_iterations', count: 3 },
        message: '3 of 3 iterations',
      },
    ]);
  });

  it('a goal met together with a veto is not a success, in whatever list the veto stands', () => {
    for (const list of ['success', 'failure', 'limits', 'conditions'] as const) {
      const lists = {
        success: ['all_tests_pass'],
        [list]: list === 'success' ? ['all_tests_pass', protectedPath] : [protectedPath],
      };
      expect(verdict(lists, { tests: tests(2, 0), probes: touched }).class).toBe('veto');
    }
  });

  it('a veto inside a composite is one when it is what met it', () => {
    const inside = { any: [protectedPath, { no_progress: 9 }] };
    const more = { tests: tests(2, 0), probes: touched, streaks: { withoutProgress: 0 } };
    expect(verdict({ success: ['all_tests_pass'], failure: [inside] }, more).class).toBe('veto');
    const notTouched = { ...more, probes: {}, streaks: { withoutProgress: 9 } };
    expect(reasons({ failure: [inside] }, notTouched)).toEqual(['stop.failure[0] failure']);
    const refuted = { all: ['all_tests_pass', { not: protectedPath }] };
    const clean = { ...more, probes: { [conditionKey(condition(protectedPath))]: { met: false } } };
    expect(reasons({ success: [refuted] }, clean)).toEqual(['stop.success[0] goal']);
  });

  it('a veto is one also in a goal that is to be confirmed', () => {
    const either = { any: [{ file_created: 'x' }, protectedPath] };
    expect(
      verdict({ success: [either, 'all_tests_pass'] }, { tests: tests(2, 0), probes: touched }, { confirm: 2 }).class,
    ).toBe('veto');
  });

  it('a goal does not count while a guard could not be looked at, unless no agent has run yet', () => {
    const lists = { success: ['all_tests_pass'], failure: [protectedPath] };
    expect(verdict(lists, { iteration: 1, tests: tests(2, 0) }).stop).toBe(false);
    expect(verdict(lists, { iteration: 0, tests: tests(2, 0) }).class).toBe('goal');
    const clean = { [conditionKey(condition(protectedPath))]: { met: false } };
    expect(verdict(lists, { iteration: 1, tests: tests(2, 0), probes: clean }).class).toBe('goal');
  });

  it('nothing heard is not silence: a goal of "no error" is not met before an agent ran', () => {
    const success = [condition({ not: 'on_error' }), condition({ not: { output_pattern: 'LATER' } })];
    expect(evaluateRun(stateAfter(started({ success }), baseline())).stop).toBe(false);
    expect(evaluateRun(stateAfter(started({ success }), begin(1), end(1, { agentStarted: false }))).stop).toBe(false);
    expect(evaluateRun(stateAfter(started({ success }), ...iteration(1))).class).toBe('goal');
  });

  it('[c15] ranks veto, goal, operator, blocked, failure, limit', () => {
    const lists = {
      success: ['all_tests_pass'],
      failure: [{ no_progress: 1 }],
      limits: [{ max_iterations: 1 }],
      conditions: [protectedPath, { permission_denied: 1 }],
    };
    const more: Partial<Facts> = {
      iteration: 1,
      tests: tests(1, 0),
      probes: touched,
      streaks: { withoutProgress: 1, denials: 1 },
      operatorStop: { by: 'cli', now: false },
    };
    expect(reasons(lists, more)).toEqual([
      'stop.conditions[0] veto',
      'stop.success[0] goal',
      'operator operator',
      'stop.conditions[1] blocked',
      'stop.failure[0] failure',
      'stop.limits[0] limit',
    ]);
  });

  it('[c15] ranks by priority within a class, then by the order of writing', () => {
    const lists = { failure: [{ no_progress: 1 }, 'on_error', { consecutive_failures: 1 }] };
    const more: Partial<Facts> = {
      streaks: { withoutProgress: 1, failures: 1 },
      errors: [{ kind: 'other', message: 'x' }],
    };
    expect(reasons(lists, more)).toEqual([
      'stop.failure[1] failure',
      'stop.failure[0] failure',
      'stop.failure[2] failure',
    ]);
  });

  it('the limit that cut an iteration off comes before a limit that only its end has reached', () => {
    const lists = { limits: [{ max_iterations: 1 }, { max_duration: '1s' }] };
    const state = (interruption?: 'limit' | 'operator') => ({
      ...stateAfter(started(policy(lists)), begin(1), end(1, { outcome: 'interrupted', interruption })),
      activeMs: 2000,
    });
    const first = (...given: Parameters<typeof state>) => evaluateRun(state(...given)).reasons[0]?.path;
    expect(first('limit')).toBe('stop.limits[1]');
    expect([first('operator'), first()]).toEqual(['stop.limits[0]', 'stop.limits[0]']);
  });

  it('names only the first reason when asked to', () => {
    const lists = { failure: [{ no_progress: 1 }, 'on_error'] };
    const more: Partial<Facts> = { streaks: { withoutProgress: 1 }, errors: [{ kind: 'other', message: 'x' }] };
    expect(reasons(lists, more, { stopOnFirst: true })).toEqual(['stop.failure[1] failure']);
    expect(verdict(lists, more, { stopOnFirst: true }).judgements).toHaveLength(2);
  });

  it('a limit whose spend is unknown blocks; it is not a limit that is left', () => {
    const unknown = {
      iteration: 1,
      spendProblem: { tokens: 'no price is known for x', cost: 'no price is known for x' },
    };
    for (const limit of [
      { max_cost: 5 },
      { max_tokens: 5 },
      { not: { max_cost: 5 } },
      { any: [{ max_cost: 5 }, { max_iterations: 9 }] },
    ]) {
      const result = verdict({ limits: [limit] }, unknown);
      expect(result).toMatchObject({ stop: true, class: 'blocked' });
      expect(result.reasons[0]?.message).toMatch(/unknown.*price.* x$/);
    }
    expect(verdict({ failure: [{ max_cost: 5 }] }, unknown).class).toBe('blocked');
    expect(verdict({ limits: [{ all: [{ max_cost: 5 }, { max_iterations: 9 }] }] }, unknown).stop).toBe(false);
  });

  it('a goal that needs unknown spend is not met, and blocks nothing', () => {
    const goal = { all: ['all_tests_pass', { not: { max_cost: 5 } }] };
    expect(verdict({ success: [goal] }, { tests: tests(1, 0), spendProblem: { tokens: 'p', cost: 'p' } }).stop).toBe(
      false,
    );
  });

  it('any other unknown stops nothing', () => {
    expect(
      verdict({ success: ['all_tests_pass'], limits: [{ max_iterations: 3 }, { custom_script: 'x' }] }, {}).stop,
    ).toBe(false);
  });

  it('goals do not count before --at-least', () => {
    const lists = { success: ['all_tests_pass'], failure: ['on_error'] };
    const more: Partial<Facts> = { tests: tests(1, 0), errors: [] };
    expect(verdict(lists, { ...more, iteration: 0 }, { atLeast: 1 }).stop).toBe(false);
    expect(verdict(lists, { ...more, iteration: 1 }, { atLeast: 1 }).class).toBe('goal');
    expect(verdict(lists, more, { atLeast: 1 }).stop).toBe(false);
    expect(
      verdict(lists, { ...more, iteration: 0, errors: [{ kind: 'other', message: 'x' }] }, { atLeast: 1 }).class,
    ).toBe('failure');
    expect(verdict(lists, { ...more, iteration: 0 }).class).toBe('goal');
  });

  it('an operator and a refused account stop any run', () => {
    expect(verdict({}, { operatorStop: { by: 'cli', now: false } }).reasons).toEqual([
      { path: 'operator', class: 'operator', message: expect.stringContaining('cli') },
    ]);
    expect(verdict({}, { errors: [{ kind: 'auth', message: 'invalid key' }] }).reasons).toEqual([
      { path: 'agent.auth', class: 'blocked', message: expect.stringMatching(/logged in.*"invalid key"/) },
    ]);
    expect(verdict({}, { errors: [{ kind: 'billing', message: 'no credit' }] }).reasons).toEqual([
      { path: 'agent.billing', class: 'blocked', message: expect.stringMatching(/pay.*"no credit"/) },
    ]);
    expect(verdict({}, { errors: [{ kind: 'overload', message: '529' }] }).stop).toBe(false);
  });

  it('reasons that no condition gave come first in their class', () => {
    const more: Partial<Facts> = { errors: [{ kind: 'auth', message: 'x' }], streaks: { denials: 1 } };
    expect(reasons({ conditions: [{ permission_denied: 1 }] }, more)).toEqual([
      'agent.auth blocked',
      'stop.conditions[0] blocked',
    ]);
  });
});

describe('confirm', () => {
  const lists = { success: ['all_tests_pass'] };
  const green = { tests: tests(2, 0) };
  const red = { tests: tests(1, 1) };
  const sentence = (more: Partial<Facts>, confirm = 3) => {
    const [judgement] = verdict(lists, more, { confirm }).judgements;
    return `${judgement?.status} ${judgement?.progress ?? ''}: ${judgement?.sentence}`;
  };

  it('asks a goal to hold as often as it says', () => {
    const held = sentence({ ...green, confirmations: [green, green] });
    expect(held).toMatch(/^met 1: both tests pass.*3 times/);
    expect(sentence({ ...green, confirmations: [green] })).toMatch(/^not-met 0\.66\d+: both tests pass.*2 of 3 times/);
    expect(sentence(green)).toMatch(/^not-met 0\.33\d+: both tests pass.*1 of 3/);
    expect(sentence({ ...green, confirmations: [green, red] })).toMatch(/^not-met 0: .*once.*1 of 2 tests fail/);
    expect(sentence({ ...green, confirmations: [{}, green] })).toMatch(/^not-met 0: .*once.*not run/);
    expect(sentence({ ...red, confirmations: [green, green] })).toBe('not-met 0.5: 1 of 2 tests fail');
    expect(sentence({ ...green, confirmations: [green, green, red] })).toBe(held);
    expect(sentence(green, 1)).toBe('met 1: both tests pass');
    const another = { ...green, isOtherPolicy: true };
    expect(sentence(another)).toMatch(/^unknown 0\.33\d+: both tests pass.*1 of 3 times/);
    expect(sentence({ ...another, confirmations: [green, green] })).toBe(held);
  });

  it('keeps what is inside a goal, for whoever explains it', () => {
    const entry = { path: 'x', class: 'goal', condition: condition({ all: ['all_tests_pass'], confirm: 2 }) } as const;
    const inside = (more: Partial<Facts>) => judgeEntry(entry, policy({}), facts({ ...green, ...more })).children;
    expect([inside({}), inside({ confirmations: [red] })]).toMatchObject([[{ status: 'met' }], [{ status: 'met' }]]);
  });

  it('of one goal beats that of the policy, and limits are not asked twice', () => {
    const own = { success: [{ all_tests_pass: null, confirm: 2 }] };
    expect(verdict(own, { ...green, confirmations: [green] }, { confirm: 5 }).class).toBe('goal');
    expect(verdict({ limits: [{ max_iterations: 1 }] }, { iteration: 1 }, { confirm: 5 }).class).toBe('limit');
  });
});

describe('while an agent works', () => {
  const live = (lists: Parameters<typeof policy>[0], more: Partial<Facts>) => evaluateLive(policy(lists), facts(more));

  it('a live limit or failure interrupts, a goal never does', () => {
    expect(live({ limits: [{ max_cost: 1 }] }, { spend: { costUsd: 1 } }).class).toBe('limit');
    expect(live({ failure: [{ repeated_error: 2 }] }, { streaks: { sameError: 2 } }).class).toBe('failure');
    const text = { output_pattern: 'DONE' };
    const matches = { [conditionKey(condition(text))]: 'DONE' };
    expect(live({ success: [text] }, { matches }).stop).toBe(false);
    expect(live({ failure: [text] }, { matches }).class).toBe('failure');
  });

  it('what waits for the end of an iteration is not judged', () => {
    expect(
      live({ limits: [{ max_iterations: 1 }, { not: { max_cost: 9 } }] }, { iteration: 1, spend: { costUsd: 1 } }),
    ).toMatchObject({
      stop: false,
      judgements: [],
    });
  });

  it('an operator interrupts only when it must be now', () => {
    expect(live({ limits: ['user_signal'] }, { userSignal: true, operatorStop: { by: 'cli', now: false } }).stop).toBe(
      false,
    );
    expect(live({ limits: ['user_signal'] }, { userSignal: true }).stop).toBe(false);
    const now = live({ limits: ['user_signal'] }, { userSignal: true, operatorStop: { by: 'cli', now: true } });
    expect(now.reasons.map((reason) => reason.path)).toEqual(['operator', 'stop.limits[0]']);
    expect(live({}, { operatorStop: { by: 'cli', now: true } }).class).toBe('operator');
    expect(
      live({ limits: [{ max_cost: 1 }] }, { spend: { costUsd: 2 }, operatorStop: { by: 'cli', now: false } }).class,
    ).toBe('limit');
  });

  it('unknown spend interrupts too', () => {
    expect(live({ limits: [{ max_cost: 1 }] }, { spendProblem: { tokens: 'p', cost: 'p' } }).class).toBe('blocked');
  });

  it('a refused login is left to the end of the iteration: the agent may still recover', () => {
    expect(live({}, { errors: [{ kind: 'auth', message: 'x' }] }).stop).toBe(false);
  });
});

describe('a recorded run', () => {
  const limits = [condition({ max_cost: 5 }), condition({ max_iterations: 3 })];
  const last = (...drafts: Draft[]) => evaluateRun(stateAfter(started({ limits }), ...drafts));

  it('stops at its limits, and nowhere before', () => {
    expect(last().stop).toBe(false);
    expect(last(...iteration(1), ...iteration(2)).stop).toBe(false);
    expect(last(...iteration(1), ...iteration(2), ...iteration(3)).reasons.map(({ message }) => message)).toEqual([
      '3 of 3 iterations',
    ]);
  });

  it('is blocked by a model without a price', () => {
    const result = last(begin(1), used({ inputTokens: 5, outputTokens: 5 }, { model: 'mystery-1' }), end(1));
    expect(result).toMatchObject({
      class: 'blocked',
      reasons: [{ message: expect.stringMatching(/unknown.*price.*mystery-1/) }],
    });
    const nameless = last(begin(1), used({ inputTokens: 5, outputTokens: 5 }, { model: undefined }), end(1));
    expect(nameless.reasons[0]?.message).toMatch(/unknown.*price.*no model/);
  });

  it('is blocked by a first iteration that told nothing', () => {
    expect(last(begin(1), end(1))).toMatchObject({
      class: 'blocked',
      reasons: [{ message: expect.stringMatching(/spend unknown.*iteration/) }],
    });
  });

  it('is blocked by usage of which the tokens are missing', () => {
    const state = stateAfter(
      started({ limits: [condition({ max_tokens: 5 })] }),
      begin(1),
      used({ costUsd: 1 }),
      end(1),
    );
    expect(evaluateRun(state)).toMatchObject({
      class: 'blocked',
      reasons: [{ message: expect.stringMatching(/spend unknown.*usage/) }],
    });
  });

  it('a price that is unknown is no harm to a run without a budget', () => {
    const state = stateAfter(
      started({ limits: [condition({ max_tokens: 50 })] }),
      begin(1),
      used({ inputTokens: 5, outputTokens: 5 }),
      end(1),
    );
    expect(evaluateRun(state).stop).toBe(false);
  });

  it('gives every fact of its fold to the decision', () => {
    const state = stateAfter(
      started({}),
      baseline({ tests: tests(1, 1) }),
      begin(1),
      { type: 'context-reported', usedTokens: 50, windowTokens: 200 },
      { type: 'agent-finished', stoppedBy: 'budget' },
      { type: 'command-received', command: { type: 'stop' }, by: 'cli' },
      used({ inputTokens: 5, outputTokens: 5, costUsd: 1 }),
      end(1, {
        observation: {
          ...trees('a', 'b'),
          tests: tests(2, 0),
          checks: { lint: { passed: true } },
          probes: { k: { met: true } },
          confirmations: [{}],
        },
      }),
    );
    expect(factsOf(state)).toMatchObject({
      iteration: 1,
      startedAtMs: Date.parse('2026-03-01T00:00:00Z'),
      nowMs: Date.parse('2026-03-01T00:00:07Z'),
      activeMs: 7000,
      spend: { totalTokens: 10, costUsd: 1 },
      spendProblem: undefined,
      estimatedIterations: 0,
      stoppedItself: 'budget',
      tests: { passed: 2 },
      baselineTests: { passed: 1 },
      checks: { lint: { passed: true } },
      probes: { k: { met: true } },
      files: { changedFiles: 1, changedLines: 3 },
      streaks: { failures: 0 },
      matches: {},
      errors: [],
      contextPercent: 25,
      operatorStop: { by: 'cli', now: false },
      userSignal: true,
      holds: {},
      confirmations: [{}],
    });
    const bare = factsOf(stateAfter());
    expect(bare).toMatchObject({ iteration: 0, userSignal: false, spend: { costUsd: 0 } });
    expect([bare.matches, bare.errors]).toEqual([undefined, undefined]);
    expect([bare.startedAtMs, bare.nowMs, bare.contextPercent]).toEqual([undefined, undefined, undefined]);
    expect(
      factsOf(stateAfter(started(), { type: 'context-reported', usedTokens: 5, windowTokens: 0 })).contextPercent,
    ).toBeUndefined();
    expect(factsOf(stateAfter({ ...started(), at: 'yesterday' })).nowMs).toBeUndefined();
  });

  it('held for two iterations, counted by the recorded verdicts', () => {
    const lasting = condition({ for: { iterations: 2, condition: 'all_tests_pass' } });
    const drafts: Draft[] = [started({ success: [lasting] })];
    const classes: (string | undefined)[] = [];
    for (const [index, failed] of [0, 1, 0, 0].entries()) {
      drafts.push(...iteration(index + 1, { tests: tests(2, failed) }));
      const verdict = evaluateRun(stateAfter(...drafts));
      expect(evaluateRun(stateAfter(...drafts, { type: 'verdict-reached', iteration: index + 1, verdict }))).toEqual(
        verdict,
      );
      drafts.push({ type: 'verdict-reached', iteration: index + 1, verdict });
      classes.push(verdict.class);
    }
    expect(classes).toEqual([undefined, undefined, undefined, 'goal']);
  });

  it('collects what has held from inside other conditions', () => {
    const inner = { for: { iterations: 2, condition: { max_iterations: 1 } } };
    const result = verdict({ limits: [{ all: [inner, 'never'] }] }, { iteration: 1 });
    expect(result.holds).toStrictEqual({ [conditionKey(condition(inner))]: { iterations: 1, upTo: 1 } });
  });
});

describe('what ends any run, whatever its policy says', () => {
  const reason = (more: Partial<Facts>) => {
    const { reasons } = verdict({}, more);
    expect(reasons.length).toBeLessThan(2);
    const [first] = reasons;
    return first && `${first.path} ${first.class}: ${first.message}`;
  };

  it('tests that ran at the start and are gone, after a second iteration without them', () => {
    const gone = { source: 'harness', exitCode: 127, details: [] } as const;
    const lost = (lostTests: number | undefined, more: Partial<Facts> = {}) =>
      reason({ tests: gone, baselineTests: tests(3, 1), streaks: { lostTests }, ...more });
    expect(lost(2)).toMatch(/^tests blocked: .*exit code 127.* 2 iterations in a row/);
    expect(lost(3)).toMatch(/ 3 iterations in a row/);
    expect([lost(1), lost(undefined)]).toEqual([undefined, undefined]);
    expect(lost(2, { tests: tests(3, 1) })).toBeUndefined();
    expect(lost(2, { tests: undefined })).toBeUndefined();
    expect(lost(2, { baselineTests: undefined })).toBeUndefined();
  });

  it('original tests that fail twice in the same way reject the work; twice impossible to run, a person is needed', () => {
    const last = { changed: ['a.test.ts'] };
    const seen = (refused: number, unusable: number, problem: string | undefined = '2 original tests do not pass') =>
      reason({ originals: { last, refused, unusable, problem } });
    expect(seen(2, 0)).toBe('tests.original veto: 2 original tests do not pass');
    expect(seen(3, 0)).toMatch(/^tests\.original veto/);
    expect(seen(0, 2, 'npm is missing')).toMatch(/^tests\.original blocked: .*could not be run: npm is missing$/);
    expect([seen(1, 0), seen(0, 1), seen(1, 1)]).toEqual([undefined, undefined, undefined]);
    expect(reason({ originals: { last, refused: 2, unusable: 2, problem: undefined } })).toBeUndefined();
    expect(reason({})).toBeUndefined();
  });

  it('a hook that must not fail, and a provider that is not waited for any longer', () => {
    expect(reason({ blockedByHook: { hook: 'pre_iteration', message: 'exit code 1' } })).toBe(
      'hooks.pre_iteration blocked: exit code 1',
    );
    expect(reason({ waitTooLong: 'the limit ends on Friday' })).toMatch(/^\S+ blocked: the limit ends on Friday$/);
  });

  it('a login that is refused, also after another error', () => {
    const errors = [
      { kind: 'other', message: 'exit code 1' },
      { kind: 'auth', message: 'invalid key' },
    ];
    expect(reason({ errors })).toMatch(/^agent\.auth blocked: .*"invalid key"/);
    expect(reason({ errors: errors.slice(0, 1) })).toBeUndefined();
  });

  const pipeline = (counts: Partial<typeof NEW_PIPELINE>) => reason({ pipeline: { ...NEW_PIPELINE, ...counts } });

  it('a pipeline whose items are all final: a success only if every one was approved', () => {
    expect(pipeline({ items: 3, approved: 3 })).toBe('items goal: all 3 items approved');
    expect(pipeline({ items: 1, approved: 1 })).toMatch(/^items goal: the only item/);
    expect(pipeline({ items: 3, approved: 2, rejected: 1 })).toBe('items failure: 2 of 3 items approved, 1 rejected');
    expect(pipeline({ items: 3, approved: 2, failed: 1 })).toBe('items failure: 2 of 3 items approved, 1 failed');
    expect(pipeline({ items: 3, approved: 1, rejected: 1, failed: 1 })).toMatch(/1 of 3 .*, 1 rejected, 1 failed$/);
  });

  it('not a pipeline with an open item, or without any; a withdrawn item is not waited for', () => {
    expect(pipeline({ items: 3, approved: 1, rejected: 1 })).toBeUndefined();
    expect(pipeline({ items: 0 })).toBeUndefined();
    expect(pipeline({ items: 3, approved: 2, withdrawn: 1 })).toMatch(/^items goal: all 2 items/);
    expect(pipeline({ items: 2, withdrawn: 2 })).toBeUndefined();
  });
});

describe('a pipeline', () => {
  const counts = { ...NEW_PIPELINE, items: 2, approved: 1, rejected: 1, attempts: 2, consecutiveFails: 1 };

  it('that halts with its last item names the halt first, and that nothing is left to do last', () => {
    const lists = { failure: [{ consecutive_fails: 1 }] };
    expect(reasons(lists, { pipeline: counts })).toEqual(['stop.failure[0] failure', 'items failure']);
  });

  it('whose spend is unknown is blocked, with what has to be done in each attempt', () => {
    const unknown = { iteration: 1, spendProblem: { tokens: 'p', cost: 'p' } };
    const messages = (more: Partial<Facts>) =>
      verdict({ limits: [{ max_cost: 5 }] }, { ...unknown, ...more }).reasons.map(({ message }) => message);
    expect(messages({ pipeline: { ...NEW_PIPELINE, items: 2 } })).toEqual([
      expect.stringMatching(/unknown: p; .*each attempt/),
    ]);
    expect(messages({})).toEqual([expect.stringMatching(/unknown: p$/)]);
    const met = verdict({ limits: [{ max_cost: 5 }] }, { spend: { costUsd: 5 }, pipeline: counts }).reasons;
    expect(met.find(({ class: stopClass }) => stopClass === 'limit')?.message).toMatch(/\$5\.00$/);
  });
});

describe('the order of reasons', () => {
  it('what cut the last iteration off comes first only within its class', () => {
    const lists = { failure: [{ consecutive_failures: 1 }], limits: [{ max_cost: 1 }] };
    const more = { streaks: { failures: 1 }, spend: { costUsd: 1 }, wasCutOff: true };
    expect(reasons(lists, more)).toEqual(['stop.failure[0] failure', 'stop.limits[0] limit']);
  });

  it('a reason that no condition gave is not put behind the condition that cut an iteration off', () => {
    const lists = { conditions: [{ permission_denied: 1 }] };
    const more = { streaks: { denials: 1 }, waitTooLong: 'x', wasCutOff: true };
    expect(reasons(lists, more)).toEqual([expect.stringMatching(/^(?!stop)/), 'stop.conditions[0] blocked']);
  });
});

describe('a guard', () => {
  const lists = { success: ['all_tests_pass'], failure: [protectedPath] };

  it('that could not be checked holds a goal back, but no limit', () => {
    const unguarded = { iteration: 1, tests: tests(2, 0) };
    expect(reasons({ ...lists, limits: [{ max_iterations: 1 }] }, unguarded)).toEqual(['stop.limits[0] limit']);
  });

  it('is the only condition whose unknown holds a goal back', () => {
    const known = { iteration: 1, tests: tests(2, 0), probes: {} };
    expect(verdict({ success: ['all_tests_pass'], failure: [{ no_progress: 3 }] }, known).class).toBe('goal');
  });

  it('does not hold back a goal of facts in which the iteration is not known', () => {
    expect(verdict(lists, { tests: tests(2, 0) }).class).toBe('goal');
  });
});

describe('tests that exit with 0 and of which none could be counted', () => {
  const uncounted = { source: 'harness', grade: 'exit-code', exitCode: 0, details: [] } as const;
  const green: Partial<Facts> = { iteration: 1, tests: uncounted };
  const UNCOUNTED = ['tests.uncounted blocked'];

  it('need a person where a goal lacks nothing else', () => {
    const [reason, ...others] = verdict({ success: ['all_tests_pass'] }, green).reasons;
    expect(reason).toMatchObject({
      path: 'tests.uncounted',
      class: 'blocked',
      message: expect.stringMatching(/counted/),
    });
    expect(others).toEqual([]);
    expect(
      reasons(
        { success: [{ all: ['all_tests_pass', 'review_approves'] }] },
        {
          ...green,
          agentChangedSomething: true,
          review: { when: 'goal', isCurrent: false },
        },
      ),
    ).toEqual(UNCOUNTED);
  });

  it('need no person where a goal lacks something else, or is met without them', () => {
    const file = { file_created: 'x' };
    const seen = (met: boolean) => ({ ...green, probes: { [conditionKey(condition(file))]: { met } } });
    expect(reasons({ success: [{ all: ['all_tests_pass', file] }] }, seen(false))).toEqual([]);
    expect(reasons({ success: [{ all: ['all_tests_pass', file] }] }, seen(true))).toEqual(UNCOUNTED);
    expect(reasons({ success: [{ any: ['all_tests_pass', file] }] }, seen(true))).toEqual(['stop.success[0] goal']);
    expect(reasons({ success: [file, 'all_tests_pass'] }, seen(false))).toEqual(UNCOUNTED);
    expect(reasons({ failure: [{ all: ['all_tests_pass', file] }] }, seen(true))).toEqual([]);
  });

  it('need no person while they fail, or before goals count', () => {
    expect(reasons({ success: ['all_tests_pass'] }, { ...green, tests: { ...uncounted, exitCode: 1 } })).toEqual([]);
    expect(reasons({ success: ['all_tests_pass'] }, green, { atLeast: 2 })).toEqual([]);
    expect(reasons({ success: ['all_tests_pass'] }, { ...green, iteration: 2 }, { atLeast: 2 })).toEqual(UNCOUNTED);
    expect(reasons({ success: ['all_tests_pass'] }, { ...green, iteration: undefined })).toEqual(UNCOUNTED);
  });

  it('are the goal where the exit code is to decide, or where a person has accepted them', () => {
    const decides = { ...green, tests: { ...uncounted, exitCodeDecides: true as const } };
    expect(reasons({ success: ['all_tests_pass'] }, decides)).toEqual(['stop.success[0] goal']);
    expect(reasons({ success: ['all_tests_pass'] }, { ...green, isAccepted: true })).toEqual(['stop.success[0] goal']);
  });
});

describe('how far a run is', () => {
  const limits = [{ type: 'max_cost', usd: 4 }] as const;
  const success = [{ type: 'all_tests_pass' }] as const;
  const before = [started({ limits, success }), ...iteration(1)];
  const verdict = evaluateRun(stateAfter(...before));

  it('is what limits count now, in an iteration and with a new limit, and not at the last verdict', () => {
    const spent = used({ inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: 0.5 });
    const judged = [...before, { type: 'verdict-reached', iteration: 1, verdict } as const, begin(2), spent];
    const sentences = (...more: readonly Draft[]) =>
      judgementsNow(stateAfter(...judged, ...more)).map(({ sentence }) => sentence);
    expect(judgementsNow(stateAfter(...judged))[0]).toBe(stateAfter(...judged).verdict?.judgements[0]);
    const [goal, cost] = verdict.judgements.map(({ sentence }) => sentence);
    expect(sentences()).toEqual([goal, expect.stringMatching(/ of \$4\.00$/)]);
    expect(sentences()[1]).not.toBe(cost);
    const raised = { type: 'limit-extended', limit: { type: 'max_cost', usd: 9 }, by: 'me' } as const;
    expect(sentences(raised)[1]).toMatch(/ of \$9\.00$/);
  });

  const redNow = [
    ...before,
    { type: 'verdict-reached', iteration: 1, verdict } as const,
    ...iteration(2, { tests: tests(1, 1) }),
  ];

  it('is what goals rested on at the last verdict, and now where there was none', () => {
    expect(judgementsNow(stateAfter(...redNow))[0]?.sentence).toBe(verdict.judgements[0]?.sentence);
    const unjudged = judgementsNow(stateAfter(...before, ...iteration(2, { tests: tests(1, 1) })));
    expect(unjudged[0]?.sentence).toBe('1 of 2 tests fail');
  });

  it('is what counts now in a pipeline', () => {
    const state = { ...stateAfter(...redNow), pipeline: NEW_PIPELINE };
    expect(judgementsNow(state)[0]?.sentence).toBe('1 of 2 tests fail');
  });
});
