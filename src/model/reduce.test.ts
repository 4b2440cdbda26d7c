import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  record,
  START,
  started,
  stateAfter,
  tests,
  trees,
  used,
} from '../../test/support/record.js';
import { parseCondition } from './parse-condition.js';
import { itemAt } from './item-state.js';
import { reduceAll } from './reduce.js';
import { statsOf } from './loop-stats.js';
import { endOf, loopStateOf, openIteration, refusedIn, waitingOf } from './phase.js';
import { INITIAL_STATE } from './run-state.js';
import type { Verdict } from './verdict.js';

const said = (matches?: Record<string, string>): Draft => ({ type: 'agent-said', text: 'hello', matches });
const error = (fingerprint: string, message = fingerprint): Draft => ({
  type: 'error-seen',
  kind: 'other',
  message,
  fingerprint,
});
const denied: Draft = { type: 'permission-denied', tool: 'Bash' };
const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] };
const stop = (more: object = {}): Draft => ({
  type: 'command-received',
  command: { type: 'stop' },
  by: 'cli',
  ...more,
});

describe('the fold of a run', () => {
  it('starts with nothing', () => {
    expect(stateAfter()).toBe(INITIAL_STATE);
  });

  it('knows the run it is of', () => {
    const state = stateAfter(started({ limits: [parseCondition({ max_iterations: 3 })] }));
    expect(state).toMatchObject({
      runId: 'loop_01TEST',
      kind: 'loop',
      phase: { name: 'starting' },
      requests: { steers: [] },
      seq: 1,
      at: START,
      startedAt: START,
      agent: { name: 'command', usage: 'live' },
      policy: { limits: [{ type: 'max_iterations', count: 3 }] },
    });
    expect(state.pipeline).toBeUndefined();
  });

  it('counts iterations, and gives the number of a limited one back', () => {
    const state = stateAfter(
      started(),
      ...iteration(1),
      begin(2),
      end(2, { outcome: 'limited' }),
      begin(2, 2),
      end(2, { outcome: 'interrupted', interruption: 'crash' }),
      ...iteration(3, {}, { outcome: 'skipped' }),
    );
    expect(state.iterations).toBe(3);
    expect(state.recent.map(({ iteration, try: tries, outcome }) => [iteration, tries, outcome])).toEqual([
      [1, 1, 'completed'],
      [2, 1, 'limited'],
      [2, 2, 'interrupted'],
      [3, 1, 'skipped'],
    ]);
    expect(state.history.totalIterations).toBe(3);
  });

  it('takes active time from the record and never lets it run backwards', () => {
    expect(
      stateAfter({ ...started(), activeMs: 5000 }, { type: 'tick', activeMs: 9000 }, { type: 'tick', activeMs: 7000 })
        .activeMs,
    ).toBe(9000);
  });

  it('takes wall time as it was, also when the clock jumped back', () => {
    expect(stateAfter(started(), { type: 'tick', at: '1999-01-01T00:00:00.000Z' }).at).toBe('1999-01-01T00:00:00.000Z');
  });

  it('remembers the agent process from before its end to after a crash', () => {
    const state = stateAfter(
      started(),
      { type: 'iteration-started', iteration: 1, try: 1, cookie: 'c' },
      { type: 'agent-spawned', pid: 7, startTime: '99' },
    );
    expect(openIteration(state)).toEqual({
      name: 'iterating',
      iteration: 1,
      try: 1,
      startedAt: '2026-03-01T00:00:01.000Z',
      cookie: 'c',
      pid: 7,
      pidStartTime: '99',
    });
    expect(openIteration(stateAfter(started(), { type: 'agent-spawned', pid: 7, startTime: '99' }))).toBeUndefined();
    expect(openIteration(stateAfter(started(), ...iteration(1)))).toBeUndefined();
  });

  it('knows how far the iteration under way is, and forgets it with the iteration', () => {
    const status: Draft = { type: 'iteration-status', status: 'pre_hooks' };
    expect(openIteration(stateAfter(started(), begin(1), status))).toMatchObject({ step: 'pre_hooks' });
    expect(openIteration(stateAfter(started(), status))).toBeUndefined();
    expect(openIteration(stateAfter(started(), begin(1), status, end(1), begin(2)))?.step).toBeUndefined();
  });

  it('[c53] keeps the newest 100 iterations and 256 trees', () => {
    const drafts = Array.from({ length: 300 }, (_, index) =>
      iteration(index + 1, trees(`t${index}`, `t${index + 1}`)),
    ).flat();
    const state = stateAfter(started(), ...drafts);
    expect(state.recent).toHaveLength(100);
    expect(state.recent[0]?.iteration).toBe(201);
    expect(state.trees).toHaveLength(256);
    expect(state.trees.at(-1)).toBe('t300');
  });

  it('sums up the history of spec 097 in ten totals', () => {
    const observation = {
      ...trees('a', 'b', { created: ['x', 'y'], modified: ['z'] }),
      tests: tests(4, 2, { total: 7 }),
    };
    const state = stateAfter(
      started(),
      ...iteration(1, observation, { durationMs: 10 }),
      ...iteration(2, observation, { durationMs: 20, outcome: 'failed' }),
      ...iteration(3, {}, { durationMs: 30, outcome: 'timed-out' }),
      ...iteration(4, {}, { durationMs: 40, outcome: 'limited' }),
    );
    expect(state.history).toEqual({
      totalIterations: 3,
      successfulIterations: 1,
      failedIterations: 1,
      timedOutIterations: 1,
      totalDurationMs: 60,
      totalFilesModified: 2,
      totalFilesCreated: 4,
      totalTestsRun: 14,
      totalTestsPassed: 8,
      totalTestsFailed: 4,
    });
  });

  it('keeps of an iteration what people ask for', () => {
    const observation = { ...trees('a', 'b'), tests: tests(4, 2), summary: 'x'.repeat(900) };
    const [, ...rest] = iteration(1, observation, { durationMs: 10, error: 'e'.repeat(900), outcome: 'failed' });
    const state = stateAfter(started(), begin(1), ...rest);
    expect(state.recent[0]).toEqual({
      iteration: 1,
      try: 1,
      outcome: 'failed',
      interruption: undefined,
      startedAt: '2026-03-01T00:00:01.000Z',
      endedAt: '2026-03-01T00:00:03.000Z',
      durationMs: 10,
      activeMs: 3000,
      spend: expect.objectContaining({ totalTokens: 110, costUsd: 0.1 }),
      estimated: false,
      madeProgress: true,
      tree: 'b',
      changedFiles: 1,
      testsPassed: 4,
      testsFailed: 2,
      summary: 'x'.repeat(500),
      error: 'e'.repeat(500),
    });
  });

  it('gives the seven statistics of spec 096', () => {
    const state = stateAfter(
      started(),
      ...iteration(1, { tests: tests(1, 1), ...trees('a', 'a') }, { durationMs: 5 }),
      { type: 'reboot-started', reason: 'redline' },
      { type: 'reboot-completed' },
      ...iteration(2, {}, { outcome: 'timed-out', durationMs: 5 }),
      ...iteration(3, {}, { outcome: 'failed', durationMs: 5 }),
    );
    expect(statsOf(state)).toEqual({
      iterations: 3,
      successfulIterations: 1,
      failedIterations: 2,
      reboots: 1,
      totalExecutionMs: 15,
      testFailureStreak: 1,
      noProgressCount: 1,
    });
  });
});

describe('streaks', () => {
  const red = (failed: number) => ({ tests: tests(10, failed) });
  const streaksAfter = (...drafts: Draft[]) => stateAfter(started(), ...drafts).streaks;

  it('[c11] count red iterations in a row, but start anew at a new low', () => {
    const counts = (...failing: number[]) => {
      const streaks = streaksAfter(...failing.flatMap((failed, index) => iteration(index + 1, red(failed))));
      return [streaks.testFailures, streaks.strictTestFailures];
    };
    expect(counts(3)).toEqual([1, 1]);
    expect(counts(3, 3, 3)).toEqual([3, 3]);
    expect(counts(3, 2)).toEqual([0, 2]);
    expect(counts(3, 2, 3)).toEqual([1, 3]);
    expect(counts(3, 2, 2, 1)).toEqual([0, 4]);
    expect(counts(3, 0)).toEqual([0, 0]);
    expect(counts(0, 3)).toEqual([1, 1]);
  });

  it('[c11] test-first work whose failures decrease is no streak, also from a green start', () => {
    const failing = (...counts: number[]) =>
      streaksAfter(baseline(red(0)), ...counts.flatMap((failed, index) => iteration(index + 1, red(failed))));
    expect(failing(9).testFailures).toBe(1);
    expect(failing(9, 8, 7, 6, 5)).toMatchObject({ testFailures: 0, strictTestFailures: 5 });
    expect(failing(9, 8, 9, 8, 9).testFailures).toBe(3);
    expect(failing(9, 8, 0, 5, 4)).toMatchObject({ testFailures: 0, strictTestFailures: 2 });
  });

  it('[c11] the low starts again when the number of tests grows', () => {
    const bySecondRule = (...more: Draft[]) =>
      stateAfter(
        started({}, { rules: { test_failure_streak: 2 } }),
        ...iteration(1, { tests: tests(8, 2) }),
        ...iteration(2, { tests: tests(11, 9) }),
        ...more,
      ).streaks;
    expect(bySecondRule().testFailures).toBe(2);
    expect(bySecondRule(...iteration(3, { tests: tests(12, 8) })).testFailures).toBe(0);
    expect(bySecondRule(...iteration(3, { tests: tests(0, 9) })).testFailures).toBe(3);
  });

  it('[c11] a breakdown of the tests sets no low that the run could never fall below', () => {
    const broken = { tests: tests(0, 0, { exitCode: 1 }) };
    const drafts = [baseline({ tests: tests(3, 5) }), ...iteration(1, broken), ...iteration(2, { tests: tests(4, 4) })];
    expect(streaksAfter(...drafts)).toMatchObject({ testFailures: 0, strictTestFailures: 2 });
    expect(streaksAfter(...drafts, ...iteration(3, { tests: tests(5, 3) })).testFailures).toBe(0);
  });

  it('[c11] compare with the baseline, and leave an iteration without tests out', () => {
    expect(streaksAfter(baseline(red(5)), ...iteration(1, red(4))).testFailures).toBe(0);
    expect(
      streaksAfter(baseline(red(5)), ...iteration(1, red(5)), ...iteration(2), ...iteration(3, red(5))).testFailures,
    ).toBe(2);
  });

  it('[c55] failed and timed-out add, completed ends, the others are neutral', () => {
    const failuresAfter = (
      ...outcomes: ('completed' | 'failed' | 'timed-out' | 'skipped' | 'interrupted' | 'limited')[]
    ) => streaksAfter(...outcomes.flatMap((outcome, index) => iteration(index + 1, {}, { outcome }))).failures;
    expect(failuresAfter('failed', 'timed-out')).toBe(2);
    expect(failuresAfter('failed', 'skipped', 'interrupted', 'limited', 'failed')).toBe(2);
    expect(failuresAfter('failed', 'failed', 'completed')).toBe(0);
    expect(failuresAfter('failed', 'completed', 'timed-out')).toBe(1);
  });

  it('[c52] count iterations without progress: completed, failed and timed-out ones', () => {
    const same = trees('a', 'a');
    const without = (...drafts: Draft[]) => streaksAfter(...drafts).withoutProgress;
    expect(
      without(
        ...iteration(1, same),
        ...iteration(2, same, { outcome: 'failed' }),
        ...iteration(3, same, { outcome: 'timed-out' }),
      ),
    ).toBe(3);
    expect(without(...iteration(1, same), ...iteration(2, trees('a', 'b')))).toBe(0);
    expect(without(...iteration(1, same), ...iteration(2, {}))).toBe(1);
    expect(without(...iteration(1, same, { outcome: 'skipped' }), ...iteration(2, same, { outcome: 'limited' }))).toBe(
      0,
    );
    expect(without(...iteration(1, same, { outcome: 'interrupted', interruption: 'operator' }))).toBe(0);
    expect(without(...iteration(1, same, { outcome: 'interrupted', interruption: 'crash' }))).toBe(0);
    expect(without(...iteration(1, same, { outcome: 'interrupted', interruption: 'limit' }))).toBe(1);
  });

  it('an iteration whose changes nobody could observe makes the count unknown until one is observed again', () => {
    const same = trees('a', 'a');
    const unknown = (...drafts: Draft[]) => streaksAfter(...drafts).unknown;
    expect(unknown(...iteration(1, {}))).toEqual({ progress: true, tree: true });
    expect(unknown(...iteration(1, {}), ...iteration(2, same))).toBeUndefined();
    expect(unknown(...iteration(1, same), ...iteration(2, {}, { outcome: 'limited' }))).toBeUndefined();
    const improved = { tests: tests(6, 0) };
    expect(unknown(baseline({ tests: tests(5, 1) }), ...iteration(1, improved))).toEqual({ tree: true });
  });

  it('a fingerprint in place of trees tells progress and returns', () => {
    const step = (before: string, after: string) => ({ fingerprint: { before, after } });
    const streaks = streaksAfter(
      baseline({ fingerprint: { after: 'a' } }),
      ...iteration(1, step('a', 'b')),
      ...iteration(2, step('b', 'a')),
      ...iteration(3, step('a', 'a')),
    );
    expect(streaks).toMatchObject({ withoutProgress: 2, oscillations: 1 });
    expect(streaks.unknown).toBeUndefined();
  });

  it('[c4] all tests still passing is not progress, more passing than ever is', () => {
    const green = { ...trees('a', 'a'), tests: tests(5, 0) };
    const more = { ...trees('a', 'a'), tests: tests(6, 0) };
    expect(streaksAfter(...iteration(1, green), ...iteration(2, green)).withoutProgress).toBe(2);
    expect(streaksAfter(...iteration(1, green), ...iteration(2, more)).withoutProgress).toBe(0);
  });

  it('count returns to an earlier tree, the baseline among them, and not standing still', () => {
    const path = (...names: string[]) =>
      streaksAfter(
        baseline({ tree: names[0] }),
        ...names.slice(1).flatMap((name, index) => iteration(index + 1, trees(names[index] ?? '', name))),
      ).oscillations;
    expect(path('a', 'b', 'a', 'b')).toBe(2);
    expect(path('a', 'a', 'a')).toBe(0);
    expect(path('a', 'b', 'c', 'd')).toBe(0);
    expect(path('a', 'b', 'b', 'a')).toBe(1);
  });

  it('count the same error in a row; another one or a clean iteration ends it', () => {
    const same = (...drafts: Draft[]) => streaksAfter(...drafts).sameError;
    expect(same(error('x'), error('x'), error('x'))).toBe(3);
    expect(same(error('x'), error('y'))).toBe(1);
    expect(same(begin(1), error('x'), end(1), begin(2), error('x'))).toBe(2);
    expect(same(begin(1), error('x'), end(1), begin(2), end(2))).toBe(0);
    expect(same(begin(1), error('x'), end(1), begin(2), end(2, { outcome: 'failed' }))).toBe(1);
    expect(streaksAfter(begin(1), error('x', 'msg')).lastError).toEqual({
      kind: 'other',
      message: 'msg',
      fingerprint: 'x',
    });
    expect(streaksAfter(begin(1), error('x'), end(1), begin(2), end(2)).lastError).toBeUndefined();
  });

  it('count denials until a tool is allowed again', () => {
    const allowed: Draft = { type: 'tool-answered', failed: true };
    expect(streaksAfter(denied, { type: 'tool-answered', denied: true }, denied).denials).toBe(2);
    expect(streaksAfter(denied, denied, allowed).denials).toBe(0);
  });
});

describe('the latest facts', () => {
  it('are never older than the iteration: what was not observed is unknown', () => {
    const state = stateAfter(
      started(),
      begin(1),
      said({ k: 'DONE' }),
      error('x'),
      end(1, { observation: { tests: tests(1, 0) } }),
    );
    expect(state.latest).toMatchObject({
      matches: { k: 'DONE' },
      errors: [{ fingerprint: 'x' }],
      observation: { tests: { passed: 1 } },
    });
    const next = stateAfter(
      started(),
      begin(1),
      said({ k: 'DONE' }),
      error('x'),
      end(1, { observation: { tests: tests(1, 0) } }),
      begin(2),
    );
    expect(next.latest).toEqual({ observation: {}, matches: {}, errors: [] });
  });

  it('hold what the agent reported in that iteration, the last of each', () => {
    const claim = (evidence: string): Draft => ({ type: 'claim-made', claim: 'done', evidence, by: 'x' });
    const blocked: Draft = { type: 'claim-made', claim: 'blocked', evidence: 'no key', by: 'x' };
    const first = [started(), begin(1), claim('a'), blocked, claim('b')];
    expect(stateAfter(...first, end(1)).latest.claims).toEqual({ done: 'b', blocked: 'no key' });
    expect(stateAfter(...first, end(1), begin(2)).latest.claims).toBeUndefined();
  });

  it('keep plain words apart from reports: they meet no condition that asks for one', () => {
    const words: Draft = { type: 'claim-made', claim: 'done', evidence: 'All done.', from: 'words', by: 'x' };
    const line: Draft = { type: 'claim-made', claim: 'done', evidence: 'b', from: 'status-line', by: 'x' };
    const { latest, saidDone } = stateAfter(started(), begin(1), words, end(1));
    expect([latest.claims, latest.doneInWords, saidDone]).toEqual([undefined, 'All done.', 1]);
    const both = stateAfter(started(), begin(1), line, end(1)).latest;
    expect(both).toMatchObject({ claims: { done: 'b' }, statusLine: 'done' });
  });

  it('forget that the agent was blocked when it continues later, not when it says so in the same iteration', () => {
    const blocked: Draft = { type: 'claim-made', claim: 'blocked', evidence: 'no key', by: 'x' };
    const goOn: Draft = { type: 'claim-made', claim: 'continue', evidence: 'a', from: 'status-line', by: 'x' };
    const words: Draft = { type: 'claim-made', claim: 'done', evidence: 'All done.', from: 'words', by: 'x' };
    const first = [started(), begin(1), blocked];
    expect(stateAfter(...first, goOn, end(1)).blockedReport).toEqual({ iteration: 1, evidence: 'no key' });
    expect(stateAfter(...first, end(1), begin(2), words, end(2)).blockedReport).toBeDefined();
    expect(stateAfter(...first, end(1), begin(2), goOn, end(2)).blockedReport).toBeUndefined();
  });

  it('collect the matches of all messages', () => {
    expect(stateAfter(started(), begin(1), said({ a: '1' }), said(), said({ b: '2' })).latest.matches).toEqual({
      a: '1',
      b: '2',
    });
  });

  it('keep the newest errors of an agent that has thousands, each once, and what a person must see to', () => {
    const refused: Draft = { type: 'error-seen', kind: 'auth', message: 'no login', fingerprint: 'no login' };
    const many = Array.from({ length: 50 }, (_, index) => error(`e${index}`));
    const { errors } = stateAfter(started(), begin(1), refused, ...many, error('e48')).latest;
    expect(errors).toHaveLength(20);
    expect(errors.slice(-2).map(({ fingerprint }) => fingerprint)).toEqual(['e49', 'e48']);
    expect(errors[0]?.kind).toBe('auth');
  });

  it('hold the error of an iteration whose agent never spoke', () => {
    const failed = end(1, { outcome: 'failed', agentStarted: false, error: 'the hook failed' });
    expect(stateAfter(started(), begin(1), failed).latest).toMatchObject({
      agentRan: false,
      errors: [{ kind: 'other', message: 'the hook failed' }],
    });
    const both = stateAfter(started(), begin(1), error('x'), end(1, { outcome: 'failed', error: 'exit 1' })).latest;
    expect(both.errors.map(({ message }) => message)).toEqual(['x']);
  });

  it('hold the foreign limit and the reason why the agent stopped itself', () => {
    const state = stateAfter(
      started(),
      begin(1),
      { type: 'limit-hit', kind: 'usage-limit', resetsAt: START, message: 'later' },
      { type: 'agent-finished', stoppedBy: 'budget' },
    );
    expect(state.latest).toMatchObject({
      limitHit: { kind: 'usage-limit', resetsAt: START, message: 'later' },
      stoppedItself: 'budget',
    });
  });

  it('hold the confirmations of a goal beside it', () => {
    const state = stateAfter(
      started(),
      ...iteration(1, { tests: tests(1, 0), confirmations: [{ tests: tests(0, 1) }] }),
    );
    expect(state.latest.observation).toMatchObject({ tests: { failed: 0 }, confirmations: [{ tests: { failed: 1 } }] });
  });

  it('start with the baseline', () => {
    const state = stateAfter(started(), baseline({ tests: tests(1, 2), tree: 't' }));
    expect(state).toMatchObject({ baseline: { tree: 't' }, latest: { observation: { tree: 't' } }, trees: ['t'] });
    expect(state.tests).toMatchObject({ mostPassed: 1, fewestFailed: 2, ranAtFewestFailed: 3 });
    expect(stateAfter(started(), baseline())).toMatchObject({ trees: [], tests: {} });
  });
});

describe('the life of a run', () => {
  const statusAfter = (...drafts: Draft[]) => loopStateOf(stateAfter(started(), ...drafts));

  it('goes through its states by events', () => {
    expect(statusAfter({ type: 'paused' })).toBe('paused');
    expect(statusAfter({ type: 'paused' }, { type: 'resumed' })).toBe('running');
    expect(statusAfter({ type: 'reboot-started', reason: 'redline' })).toBe('rebooting');
    expect(statusAfter({ type: 'reboot-started', reason: 'redline' }, { type: 'reboot-completed' })).toBe('running');
    expect(statusAfter({ type: 'waiting-started', for: 'approval' })).toBe('waiting');
    expect(statusAfter({ type: 'waiting-started', for: 'approval' }, { type: 'waiting-ended' })).toBe('running');
    expect(statusAfter({ type: 'waiting-started', for: 'approval' }, begin(1))).toBe('running');
    expect(statusAfter(ended)).toBe('stopped');
    expect(statusAfter({ type: 'run-ended', state: 'completed', class: 'goal', reasons: [] })).toBe('completed');
  });

  it('stays ended until it is resumed', () => {
    expect(
      statusAfter(ended, { type: 'paused' }, { type: 'resumed' }, { type: 'waiting-started', for: 'answer' }, stop()),
    ).toBe('stopped');
    expect(stateAfter(started(), ended, stop()).requests.stop).toBeUndefined();
    expect(statusAfter(ended, { type: 'run-resumed', cause: 'operator' })).toBe('running');
  });

  it('adds up how long it waited for the provider, and not for a person', () => {
    const wait = (cause: 'usage-limit' | 'approval'): Draft[] => [
      { type: 'waiting-started', for: cause },
      { type: 'waiting-ended' },
    ];
    expect(stateAfter(started(), ...wait('usage-limit'), ...wait('usage-limit')).waitedMs).toBe(2000);
    expect(stateAfter(started(), ...wait('approval')).waitedMs).toBeUndefined();
  });

  it('remembers what it waits for, and how it ended', () => {
    const waiting = stateAfter(started(), {
      type: 'waiting-started',
      for: 'usage-limit',
      until: '2026-03-01T05:00:00.000Z',
    });
    expect(waitingOf(waiting)).toEqual({
      for: 'usage-limit',
      until: '2026-03-01T05:00:00.000Z',
      since: '2026-03-01T00:00:01.000Z',
    });
    const asked = [started(), begin(1), { type: 'waiting-started', for: 'answer' }] as const;
    expect(waitingOf(stateAfter(...asked))).toMatchObject({ for: 'answer', since: '2026-03-01T00:00:02.000Z' });
    expect(waitingOf(stateAfter(...asked, { type: 'waiting-ended' }))).toBeUndefined();
    const over = stateAfter(...asked, { ...ended, error: 'disk' });
    expect(endOf(over)).toEqual({ class: 'limit', reasons: [], error: 'disk', at: '2026-03-01T00:00:03.000Z' });
    expect(openIteration(over)).toBeUndefined();
    expect(waitingOf(over)).toBeUndefined();
  });

  it('knows that an operator asked, unless the state refused it; now outlasts later', () => {
    expect(stateAfter(started(), stop()).requests.stop).toEqual({ by: 'cli', now: false });
    expect(stateAfter(started(), stop({ command: { type: 'stop', now: true } }), stop()).requests.stop).toEqual({
      by: 'cli',
      now: true,
    });
    expect(stateAfter(started(), stop({ refused: 'it is over' })).requests.stop).toBeUndefined();
    expect(stateAfter(started(), stop({ command: { type: 'pause' } })).requests.stop).toBeUndefined();
  });

  it('counts reboots, which end session and context', () => {
    const drafts: Draft[] = [
      { type: 'session-opened', session: 's', resumed: false },
      { type: 'context-reported', usedTokens: 9, windowTokens: 10 },
    ];
    expect(stateAfter(started(), ...drafts)).toMatchObject({
      session: { id: 's', openedAt: '2026-03-01T00:00:01.000Z' },
      context: { usedTokens: 9 },
    });
    const after = stateAfter(
      started(),
      ...drafts,
      { type: 'reboot-started', reason: 'x' },
      { type: 'reboot-completed' },
    );
    expect(after.reboots).toBe(1);
    expect(after.session).toBeUndefined();
    expect(after.context).toBeUndefined();
  });

  it('a resumed session is as old as it was', () => {
    const open = (session: string, resumed: boolean): Draft => ({ type: 'session-opened', session, resumed });
    const openedAt = (...drafts: Draft[]) => stateAfter(started(), ...drafts).session?.openedAt;
    expect(openedAt(open('s', false), open('s', true))).toBe('2026-03-01T00:00:01.000Z');
    expect(openedAt(open('s', false), open('s', false))).toBe('2026-03-01T00:00:02.000Z');
    expect(openedAt(open('s', false), open('t', true))).toBe('2026-03-01T00:00:02.000Z');
    const full: Draft = { type: 'context-reported', usedTokens: 9, windowTokens: 10 };
    expect(stateAfter(started(), open('s', false), full, open('s', true)).context).toBeDefined();
    expect(stateAfter(started(), open('s', false), full, open('t', false)).context).toBeUndefined();
  });

  it('takes a raised limit in place of the old one', () => {
    const limit = (usd: number) => parseCondition({ max_cost: usd });
    const policy = { limits: [limit(5), parseCondition({ max_iterations: 3 })] };
    const state = stateAfter(started(policy), { type: 'limit-extended', limit: limit(20), by: 'cli' });
    expect(state.policy.limits).toEqual([
      { type: 'max_iterations', count: 3 },
      { type: 'max_cost', usd: 20 },
    ]);
  });

  it('keeps the verdict and what has held', () => {
    const verdict: Verdict = { stop: false, reasons: [], judgements: [], holds: { k: { iterations: 2, upTo: 3 } } };
    const state = stateAfter(started(), { type: 'verdict-reached', iteration: 3, verdict });
    expect(state.verdict).toBe(verdict);
    expect(state.holds).toEqual(verdict.holds);
    const live: Verdict = { stop: false, reasons: [], judgements: [], holds: {} };
    const both = stateAfter(
      started(),
      { type: 'verdict-reached', iteration: 3, verdict },
      { type: 'verdict-reached', iteration: 3, verdict: live },
    );
    expect(both.holds).toEqual(verdict.holds);
  });
});

describe('resuming', () => {
  const worn: Draft[] = [
    ...iteration(1, { ...trees('a', 'a'), tests: tests(1, 1) }, { outcome: 'failed' }),
    denied,
    error('x'),
    {
      type: 'verdict-reached',
      iteration: 1,
      verdict: { stop: true, reasons: [], judgements: [], holds: { k: { iterations: 1, upTo: 1 } } },
    },
    stop(),
  ];

  it('after a crash carries everything over exactly', () => {
    const before = stateAfter(started(), ...worn);
    const after = stateAfter(started(), ...worn, { type: 'run-resumed', cause: 'crash' });
    const { seq: _seq, at: _at, activeMs: _active, crashesInARow, phase, ...rest } = after;
    const { seq: _s, at: _a, activeMs: _m, crashesInARow: _c, phase: _p, ...same } = before;
    expect(rest).toEqual(same);
    expect(phase).toEqual({ name: 'starting' });
    expect(crashesInARow).toBe(1);
  });

  it('by an operator forgives streaks and old facts, never limits', () => {
    const before = stateAfter(started(), ...worn, ended);
    const after = stateAfter(started(), ...worn, ended, { type: 'run-resumed', cause: 'operator' });
    expect(after.streaks).toEqual(INITIAL_STATE.streaks);
    expect(after).toMatchObject({
      phase: { name: 'starting' },
      holds: {},
      crashesInARow: 0,
      iterations: 1,
      spend: before.spend,
    });
    expect(after.latest.observation).toEqual({});
    expect(after.requests.stop).toBeUndefined();
    expect(after.verdict).toBeUndefined();
    expect(endOf(after)).toBeUndefined();
  });

  it.each([
    ['crash', 1],
    ['unpushed', 1],
    ['operator', 0],
  ] as const)(
    'of what the agent was told in an iteration that ended by %s, so much is told again: %i',
    (interruption, count) => {
      const steered: Draft = { type: 'command-received', command: { type: 'steer', text: 'mind the gap' }, by: 'me' };
      const state = stateAfter(started(), steered, begin(1), end(1, { outcome: 'interrupted', interruption }));
      expect(state.requests.steers).toHaveLength(count);
      expect(state.streaks.withoutProgress).toBe(0);
    },
  );

  it('counts crashes until an iteration ends that no crash ended', () => {
    const crash: Draft = { type: 'run-resumed', cause: 'crash' };
    const cut = end(1, { outcome: 'interrupted', interruption: 'crash' });
    expect(stateAfter(started(), begin(1), crash, cut, begin(2), crash).crashesInARow).toBe(2);
    expect(stateAfter(started(), begin(1), crash, cut, ...iteration(2)).crashesInARow).toBe(0);
  });
});

describe('a pipeline', () => {
  const item = (status: 'approved' | 'rejected' | 'failed', attempts: number, index = 0): Draft[] => [
    { type: 'item-started', item: 'x', index },
    ...Array.from({ length: attempts }, (_, before): Draft[] => [
      { type: 'attempt-started', item: 'x', attempt: before + 1 },
      { type: 'attempt-ended', item: 'x', attempt: before + 1, outcome: 'retry', durationMs: 1 },
    ]).flat(),
    { type: 'item-ended', item: 'x', index, status, attempts },
  ];
  const after = (...drafts: Draft[]) => stateAfter(started({}, { kind: 'pipeline', items: 8 }), ...drafts);

  it('counts items by status, retries, attempts and fails in a row', () => {
    const state = after(...item('approved', 1), ...item('rejected', 2, 1), ...item('failed', 5, 2));
    expect(state.pipeline).toMatchObject({
      items: 8,
      approved: 1,
      rejected: 1,
      failed: 1,
      withRetries: 2,
      attempts: 8,
      consecutiveFails: 2,
    });
    expect(state.iterations).toBe(8);
    expect(after(...item('failed', 1), ...item('approved', 1, 1)).pipeline?.consecutiveFails).toBe(0);
    expect(after().pipeline).toMatchObject({ items: 8, attempts: 0 });
    expect(stateAfter(started({}, { kind: 'pipeline' })).pipeline?.items).toBe(0);
  });

  const ended = (index: number, outcome: 'approved' | 'retry' | 'interrupted' | 'limited'): Draft => ({
    type: 'attempt-ended',
    item: 'x',
    index,
    attempt: 1,
    outcome,
    durationMs: 1,
  });

  it('an item becomes final once, and an event of no item of the run changes none', () => {
    const twice = after(...item('approved', 1), ...item('failed', 1));
    expect(twice.pipeline).toMatchObject({ approved: 1, failed: 0, consecutiveFails: 0 });
    for (const index of [8, -1, 0.5, 1e9]) {
      expect(after({ type: 'item-started', item: 'x', index }, ended(index, 'retry')).pipeline?.states).toBeUndefined();
    }
  });

  it('an attempt that was cut short counts for the run and not for the item', () => {
    const state = after({ type: 'attempt-started', item: 'x', index: 3, attempt: 1 }, ended(3, 'interrupted'));
    expect(state).toMatchObject({ iterations: 1, pipeline: { attempts: 1 } });
    expect(itemAt(state.pipeline?.states, 3)).toMatchObject({ attempts: [], interrupted: 1 });
  });

  it('those that a provider refused together were one try, and use nothing up', () => {
    const begun = [0, 1, 2].map((index): Draft => ({ type: 'attempt-started', item: 'x', index, attempt: 1 }));
    const state = after(...begun, ended(0, 'limited'), ended(1, 'limited'), ended(2, 'limited'));
    expect(state).toMatchObject({ iterations: 0, phase: { refused: { tries: 1 } }, pipeline: { attempts: 0 } });
    const again = after(
      ...begun,
      ended(0, 'limited'),
      { type: 'attempt-started', item: 'x', index: 0, attempt: 1 },
      ended(0, 'limited'),
    );
    expect(refusedIn(again.phase)?.tries).toBe(2);
  });

  it('an item that is wanted once more is counted no longer', () => {
    const done = [...item('approved', 1), ...item('rejected', 2, 1)];
    const state = after(...done, { type: 'item-reopened', item: 'x', index: 1 });
    expect(state.pipeline).toMatchObject({ approved: 1, rejected: 0, withRetries: 0 });
    expect(itemAt(state.pipeline?.states, 1)).toEqual({ item: 'x', attempts: [] });
    expect(after(...done, { type: 'item-reopened', item: 'x', index: 5 }).pipeline).toMatchObject({
      approved: 1,
      rejected: 1,
    });
  });

  it('an operator who resumes accepts the rates as they are; a crash changes nothing', () => {
    const done = [...item('approved', 1), ...item('rejected', 2, 1)];
    const resumed = after(...done, { type: 'run-resumed', cause: 'operator' });
    expect(resumed.pipeline).toMatchObject({ consecutiveFails: 0, accepted: { retryRate: 0.5, rejectRate: 0.5 } });
    const crashed = after(...done, { type: 'run-resumed', cause: 'crash' });
    expect(crashed.pipeline).toMatchObject({ consecutiveFails: 1 });
    expect(crashed.pipeline?.accepted).toBeUndefined();
  });
});

describe('folding', () => {
  it('goes on from a snapshot as if it had read everything', () => {
    const events = record([started(), ...iteration(1, trees('a', 'b')), ...iteration(2, trees('b', 'b'))]);
    const whole = reduceAll(events);
    for (let cut = 0; cut <= events.length; cut++) {
      const snapshot = JSON.parse(JSON.stringify(reduceAll(events.slice(0, cut))));
      expect(JSON.stringify(reduceAll(events.slice(cut), snapshot))).toBe(JSON.stringify(whole));
    }
  });

  it('ignores what only views look at', () => {
    const before = stateAfter(started(), begin(1));
    const after = stateAfter(started(), begin(1), { type: 'tick' }, used({}));
    expect({ ...after, seq: 0, at: '', activeMs: 0, spend: 0 }).toEqual({
      ...before,
      seq: 0,
      at: '',
      activeMs: 0,
      spend: 0,
    });
  });

  it('keeps the time at which a limit resets when the limit is told again in words', () => {
    const resetsAt = '2026-03-01T05:00:00.000Z';
    const state = stateAfter(
      started(),
      begin(1),
      { type: 'limit-hit', kind: 'usage-limit', resetsAt, message: 'the five hour limit is reached' },
      { type: 'limit-hit', kind: 'usage-limit', message: 'You have hit your limit' },
    );
    expect(state.latest.limitHit).toMatchObject({ resetsAt, message: 'You have hit your limit' });
  });
});

describe('a limit of the provider', () => {
  const at = (minutes: number) => new Date(Date.parse(START) + minutes * 60_000).toISOString();
  const limited = (resetsAt: string | undefined): readonly Draft[] => [
    started(),
    begin(1),
    { type: 'limit-hit', kind: 'usage-limit', message: 'come back later', resetsAt },
    end(1, { outcome: 'limited' }),
    { type: 'command-received', command: { type: 'stop' }, by: 'me' },
    { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] },
  ];
  const resumed = (minutes: number): Draft => ({ type: 'run-resumed', cause: 'operator', at: at(minutes) });

  it('that is known to hold on is waited for after a stop: a try before would be paid for and refused', () => {
    const state = stateAfter(...limited(at(60)), resumed(10));
    expect(state).toMatchObject({
      phase: { name: 'starting', refused: { since: at(10), tries: 1, wait: 'due' } },
      latest: { limitHit: { resetsAt: at(60) } },
    });
    for (const other of [stateAfter(...limited(at(60)), resumed(61)), stateAfter(...limited(undefined), resumed(10))]) {
      expect(other).toMatchObject({ phase: { name: 'starting', refused: undefined }, latest: { errors: [] } });
      expect(other.latest.limitHit).toBeUndefined();
    }
  });
});

describe('a stop', () => {
  const stop = (by: string): Draft => ({ type: 'command-received', command: { type: 'stop' }, by });

  it('that a person asked for is not taken for the end of the machine that came before it had happened', () => {
    expect(stateAfter(started(), begin(1), stop('me'), stop('SIGTERM')).requests.stop?.by).toBe('me');
    expect(stateAfter(started(), begin(1), stop('SIGTERM'), stop('me')).requests.stop?.by).toBe('me');
    expect(stateAfter(started(), begin(1), stop('SIGTERM')).requests.stop?.by).toBe('SIGTERM');
  });
});
