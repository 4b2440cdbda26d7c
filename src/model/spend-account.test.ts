import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, record, started, stateAfter, used } from '../../test/support/record.js';
import { reduceAll } from './reduce.js';
import { iterationSpend, spendByModel, totalSpend } from './spend-account.js';
import type { Spend } from './usage.js';

const spent = (...drafts: Draft[]) => totalSpend(stateAfter(started(), ...drafts).spend);
const tokens = (inputTokens: number, outputTokens: number, costUsd?: number): Spend =>
  costUsd === undefined ? { inputTokens, outputTokens } : { inputTokens, outputTokens, costUsd };

describe('what a run has spent', () => {
  it('is nothing, and known to be, before anything ran', () => {
    expect(spent()).toMatchObject({ totalTokens: 0, costUsd: 0 });
  });

  it('counts a request once although every block of it repeats its usage', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 1, 0.1), { id: 'a' }),
      used(tokens(100, 1, 0.1), { id: 'a' }),
      used(tokens(100, 50, 0.5), { id: 'a' }),
      used(tokens(10, 5, 0.01), { id: 'b' }),
    );
    expect(total).toMatchObject({ inputTokens: 110, outputTokens: 55, totalTokens: 165 });
    expect(total.costUsd).toBeCloseTo(0.51);
  });

  it('knows a request again that leaves its model out', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 1, 0.1), { id: 'a', model: 'm' }),
      used(tokens(100, 50, 0.5), { id: 'a', model: undefined }),
      used(tokens(7, 1, 0.1), { id: 'b', model: undefined }),
    );
    expect(total).toMatchObject({ inputTokens: 107, outputTokens: 51, costUsd: 0.6 });
  });

  it('charges a call that was cut off like the dearest call of the first iteration, and later ones like that iteration', () => {
    const cut = [
      begin(1),
      used(tokens(100, 10, 0.1), { id: 'a' }),
      used(tokens(300, 10, 0.3), { id: 'b' }),
      used({}, { unknown: true }),
      end(1),
    ];
    expect(spent(...cut).costUsd).toBeCloseTo(0.7);
    expect(spent(...cut, begin(2), used({}, { unknown: true }), end(2)).costUsd).toBeCloseTo(1.1);
    expect(spent(begin(1), used({}, { unknown: true }), end(1)).costUsd).toBeUndefined();
    // An iteration that was refused at no cost is nothing to estimate by.
    const free = [begin(1), used(tokens(0, 0, 0)), end(1), begin(2)];
    expect(spent(...free, used({}, { unknown: true }), end(2)).costUsd).toBeUndefined();
  });

  it('counts requests without an id each for itself', () => {
    expect(spent(begin(1), used(tokens(5, 5, 1)), used(tokens(5, 5, 1)))).toMatchObject({
      totalTokens: 20,
      costUsd: 2,
    });
  });

  it('does not count a turn on top of its own requests, but takes what it has beyond them', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 1, 0.1), { id: 'a' }),
      used(tokens(100, 50, 0.4), { scope: 'turn' }),
      used(tokens(7, 0, 0.1), { id: 'b' }),
      used(tokens(3, 2, 0.1), { scope: 'turn' }),
    );
    expect(total).toMatchObject({ inputTokens: 107, outputTokens: 52 });
    expect(total.costUsd).toBeCloseTo(0.5);
  });

  it('a turn of one model covers only that model', () => {
    const state = stateAfter(
      started(),
      begin(1),
      used(tokens(100, 1, 1), { id: 'a', model: 'large' }),
      used(tokens(20, 1, 0.1), { id: 'b', model: 'small' }),
      used(tokens(100, 9, 1.5), { scope: 'turn', model: 'large' }),
    );
    expect(spendByModel(state.spend)).toEqual({
      large: expect.objectContaining({ inputTokens: 100, outputTokens: 9, costUsd: 1.5 }),
      small: expect.objectContaining({ inputTokens: 20, outputTokens: 1, costUsd: 0.1 }),
    });
  });

  it('a turn that names no model covers them all', () => {
    const state = stateAfter(
      started(),
      begin(1),
      used(tokens(100, 1, 1), { id: 'a', model: 'large' }),
      used(tokens(20, 1, 0.5), { id: 'b', model: 'small' }),
      used(tokens(130, 2, 1.5), { scope: 'turn', model: undefined }),
    );
    expect(totalSpend(state.spend)).toMatchObject({ inputTokens: 130, outputTokens: 2, costUsd: 1.5 });
    expect(spendByModel(state.spend)['']).toMatchObject({ inputTokens: 10, outputTokens: 0, costUsd: 0 });
  });

  it('a turn that names no model goes to the only model there is', () => {
    const state = stateAfter(
      started(),
      begin(1),
      used(tokens(100, 1, 1), { id: 'a', model: 'large' }),
      used(tokens(130, 2, 1.5), { scope: 'turn', model: undefined }),
    );
    expect(Object.keys(spendByModel(state.spend))).toEqual(['large']);
  });

  it('a turn whose price is known makes up for a request whose price was not', () => {
    const total = spent(begin(1), used(tokens(100, 1), { id: 'a' }), used(tokens(100, 1, 0.7), { scope: 'turn' }));
    expect(total.costUsd).toBeCloseTo(0.7);
  });

  it('a turn that knows less than its requests takes nothing away', () => {
    const total = spent(begin(1), used(tokens(100, 1, 2), { id: 'a' }), used({ inputTokens: 100 }, { scope: 'turn' }));
    expect(total).toMatchObject({ inputTokens: 100, outputTokens: 1, costUsd: 2 });
  });

  it('an unpriced request leaves the cost unknown for good, whatever follows', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 1), { id: 'a' }),
      end(1),
      begin(2),
      used(tokens(1, 1, 5), { scope: 'turn' }),
      end(2),
    );
    expect(total.costUsd).toBeUndefined();
    expect(total.totalTokens).toBe(103);
  });

  it('a turn alone whose price is not known leaves the cost unknown, not zero', () => {
    for (const scope of ['turn', 'session-total'] as const) {
      const total = spent(begin(1), used(tokens(1e6, 1e6), { scope, session: 's', model: 'mystery' }), end(1));
      expect(total.costUsd).toBeUndefined();
      expect(total.totalTokens).toBe(2e6);
    }
    expect(spent(begin(1), used({ inputTokens: 5 }, { scope: 'turn' }), end(1)).outputTokens).toBeUndefined();
  });

  it('a turn that has more tokens than its requests, and no price for them, leaves the cost unknown', () => {
    const total = spent(begin(1), used(tokens(100, 1, 0.1), { id: 'a' }), used(tokens(2e6, 1), { scope: 'turn' }));
    expect(total).toMatchObject({ inputTokens: 2e6, costUsd: undefined });
  });

  it('goes on from a snapshot as if it had been there all along: unknown stays unknown', () => {
    const events = record([
      started(),
      begin(1),
      used({ outputTokens: 0 }),
      begin(2),
      used({ costUsd: 0 }, { scope: 'turn' }),
    ]);
    for (let cut = 0; cut <= events.length; cut++) {
      const snapshot = JSON.parse(JSON.stringify(reduceAll(events.slice(0, cut))));
      expect(totalSpend(reduceAll(events.slice(cut), snapshot).spend).outputTokens).toBe(
        totalSpend(reduceAll(events).spend).outputTokens,
      );
    }
  });

  it('a report that knows nothing is none: the iteration told nothing', () => {
    const state = stateAfter(started(), begin(1), used({}, { scope: 'turn' }), end(1));
    expect(state.spend.unknownIterations).toBe(1);
  });

  it('figures that are negative or absurd are unknown, and take nothing away', () => {
    expect(spent(begin(1), used(tokens(10, 10, 1)), used(tokens(-5, 1, -9)))).toMatchObject({
      inputTokens: undefined,
      costUsd: undefined,
    });
    expect(spent(begin(1), used({ inputTokens: 600, outputTokens: 400, totalTokens: 0 }))).toMatchObject({
      totalTokens: 1000,
    });
  });

  it('counts a session total by what it grew, also over a resume of the session', () => {
    const total = spent(
      begin(1),
      used(tokens(13_400, 0, 1), { scope: 'session-total', session: 's' }),
      end(1),
      begin(2),
      used(tokens(21_800, 0, 1.5), { scope: 'session-total', session: 's' }),
      used(tokens(50, 0, 0.25), { scope: 'session-total', session: 'other' }),
    );
    expect(total).toMatchObject({ inputTokens: 21_850, costUsd: 1.75 });
  });

  it('a session total that names no session is that of its process: a later iteration counts whole', () => {
    const total = { scope: 'session-total', session: undefined } as const;
    const iterations = [1, 2, 3].flatMap((number) => [
      begin(number),
      used(tokens(100, 0, 0.4), total),
      used(tokens(200, 0, 0.8), total),
      end(number),
    ]);
    expect(spent(...iterations)).toMatchObject({ inputTokens: 600, costUsd: expect.closeTo(2.4) });
  });

  it('a second process of the same iteration has a total of its own', () => {
    const total = { scope: 'session-total', session: undefined } as const;
    const process = (pid: number): Draft => ({ type: 'agent-spawned', pid, startTime: '1' });
    expect(
      spent(begin(1), process(1), used(tokens(100, 0, 1), total), process(2), used(tokens(150, 0, 2), total)),
    ).toMatchObject({ inputTokens: 250, costUsd: 3 });
  });

  it('a total that names no session covers what its process reported for named sessions', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 0, 1), { scope: 'session-total', session: 'a' }),
      used(tokens(150, 0, 2), { scope: 'session-total', session: 'b' }),
      used(tokens(270, 0, 3.5), { scope: 'session-total', session: undefined }),
    );
    expect(total).toMatchObject({ inputTokens: 270, costUsd: 3.5 });
  });

  it('a session total covers turns and requests that were counted before it', () => {
    const total = spent(
      begin(1),
      used(tokens(60, 0, 0.6), { id: 'a' }),
      used(tokens(100, 0, 1), { scope: 'turn' }),
      used(tokens(20, 0, 0.2), { id: 'b' }),
      used(tokens(130, 0, 1.3), { scope: 'session-total', session: 's' }),
    );
    expect(total).toMatchObject({ inputTokens: 130, costUsd: expect.closeTo(1.3) });
  });

  it('a session total covers an earlier iteration of the session that was killed before it could report one', () => {
    const opened: Draft = { type: 'session-opened', session: 's', resumed: true };
    const total = spent(
      begin(1),
      opened,
      used(tokens(300, 0, 3), { id: 'a' }),
      end(1, { outcome: 'interrupted' }),
      begin(2),
      opened,
      used(tokens(50, 0, 0.5), { id: 'b' }),
      used(tokens(400, 0, 4), { scope: 'session-total', session: 's' }),
    );
    expect(total).toMatchObject({ inputTokens: 400, costUsd: 4 });
  });

  it('requests that came before the session was named are covered by their turn', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 0, 1), { id: 'a' }),
      { type: 'session-opened', session: 's', resumed: false },
      used(tokens(120, 0, 1.2), { scope: 'turn' }),
    );
    expect(total).toMatchObject({ inputTokens: 120, costUsd: expect.closeTo(1.2) });
  });

  it('a session total that shrank has started again and counts whole', () => {
    const total = { scope: 'session-total', session: 's' } as const;
    expect(spent(begin(1), used(tokens(100, 0, 1), total), used(tokens(40, 0, 0.4), total))).toMatchObject({
      inputTokens: 140,
    });
  });

  it('what a sum has beyond its requests costs what its own rates say, however the requests were priced', () => {
    const rates = { input: 2, output: 10 };
    const total = spent(
      begin(1),
      used(tokens(1_000_000, 0, 4), { id: 'a' }),
      used(tokens(1_500_000, 0, 3), { scope: 'session-total', session: 's', rates }),
    );
    expect(total).toMatchObject({ inputTokens: 1_500_000, costUsd: 5 });
  });

  it('counts a request once that is reported again after its turn', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 1, 1), { id: 'a' }),
      used(tokens(100, 1, 1), { scope: 'turn' }),
      used(tokens(100, 5, 1.4), { id: 'a' }),
    );
    expect(total).toMatchObject({ inputTokens: 100, outputTokens: 5, costUsd: expect.closeTo(1.4) });
  });

  it('keeps the totals of different models of a session apart', () => {
    const total = spent(
      begin(1),
      used(tokens(100, 0, 1), { scope: 'session-total', session: 's', model: 'a' }),
      used(tokens(70, 0, 1), { scope: 'session-total', session: 's', model: 'b' }),
    );
    expect(total).toMatchObject({ inputTokens: 170, costUsd: 2 });
  });

  it('a request of one model is not the request of another that has the same id', () => {
    expect(
      spent(begin(1), used(tokens(5, 0, 1), { id: 'a', model: 'x' }), used(tokens(5, 0, 1), { id: 'a', model: 'y' })),
    ).toMatchObject({
      inputTokens: 10,
    });
  });

  it('an iteration that failed before its first answer has spent nothing, but is no measure for those that tell nothing', () => {
    const unanswered = { outcome: 'failed', unanswered: true } as const;
    const bad = [begin(1), end(1, unanswered), begin(2), end(2, unanswered)];
    expect(spent(...bad)).toMatchObject({ totalTokens: 0, costUsd: 0 });
    const worked = [...bad, begin(3), used(tokens(10, 0, 2)), end(3)];
    expect(spent(...worked, begin(4), end(4, unanswered))).toMatchObject({ costUsd: 2 });
    expect(spent(...worked, begin(4), end(4, { outcome: 'failed' }))).toMatchObject({ costUsd: 4 });
    expect(spent(...bad, begin(3), end(3, { outcome: 'failed' })).costUsd).toBeUndefined();
  });

  it('after three in a row it is not believed any more that nothing is spent', () => {
    const unanswered = { outcome: 'failed', unanswered: true } as const;
    const row = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => [begin(from + index), end(from + index, unanswered)]).flat();
    expect(spent(...row(1, 3)).costUsd).toBe(0);
    expect(spent(...row(1, 4)).costUsd).toBeUndefined();
    const told = [...row(1, 3), begin(4), used(tokens(10, 0, 2)), end(4)];
    expect(spent(...told, ...row(5, 3)).costUsd).toBe(2);
    expect(spent(...told, ...row(5, 4)).costUsd).toBe(4);
  });

  it('what an unanswered iteration told counts all the same', () => {
    expect(spent(begin(1), used(tokens(10, 0, 2)), end(1, { outcome: 'failed', unanswered: true }))).toMatchObject({
      costUsd: 2,
    });
  });

  it('counts killed, failed and interrupted iterations', () => {
    const outcomes = ['failed', 'timed-out', 'interrupted', 'limited', 'skipped'] as const;
    const drafts = outcomes.flatMap((outcome, index) => [
      begin(index + 1),
      used(tokens(10, 0, 1)),
      end(index + 1, { outcome }),
    ]);
    expect(spent(...drafts)).toMatchObject({ inputTokens: 50, costUsd: 5 });
  });

  it('the same request id in a later iteration is another request', () => {
    expect(
      spent(begin(1), used(tokens(5, 0, 1), { id: 'a' }), end(1), begin(2), used(tokens(5, 0, 1), { id: 'a' })),
    ).toMatchObject({
      inputTokens: 10,
    });
  });

  it('usage told after the end of an iteration is not lost', () => {
    expect(spent(begin(1), end(1, { agentStarted: false }), used(tokens(5, 0, 1)), begin(2))).toMatchObject({
      costUsd: 1,
    });
  });
});

describe('an iteration that tells nothing', () => {
  it('is charged like the dearest so far, count by count, and marked', () => {
    const state = stateAfter(
      started(),
      begin(1),
      used(tokens(100, 1, 0.2)),
      end(1),
      begin(2),
      used(tokens(10, 30, 0.1)),
      end(2),
      begin(3),
      end(3, { outcome: 'timed-out' }),
    );
    expect(totalSpend(state.spend)).toMatchObject({ inputTokens: 210, outputTokens: 61 });
    expect(totalSpend(state.spend).costUsd).toBeCloseTo(0.5);
    expect(state.spend.estimatedIterations).toBe(1);
    expect(state.recent.map((iteration) => iteration.estimated)).toEqual([false, false, true]);
    expect(state.recent[2]?.spend).toMatchObject({ inputTokens: 100, outputTokens: 30, costUsd: 0.2 });
  });

  it('makes spend unknown when there is none to compare it with', () => {
    const state = stateAfter(started(), begin(1), end(1), begin(2), used(tokens(1, 1, 1)), end(2));
    expect(state.spend.unknownIterations).toBe(1);
    expect(totalSpend(state.spend)).toEqual({});
    expect(state.recent[0]).toMatchObject({ estimated: true, spend: {} });
  });

  it('costs nothing when no agent was started', () => {
    expect(spent(begin(1), end(1, { agentStarted: false }))).toMatchObject({ totalTokens: 0, costUsd: 0 });
  });
});

describe('the account of a hostile agent', () => {
  it('stays small over endless requests and still counts them all', () => {
    const drafts = Array.from({ length: 1000 }, (_, index) => used(tokens(1, 0, 0.5), { id: `r${index}` }));
    const state = stateAfter(started(), begin(1), ...drafts);
    expect(totalSpend(state.spend)).toMatchObject({ inputTokens: 1000, costUsd: 500 });
    expect(iterationSpend(state.spend)).toMatchObject({ inputTokens: 1000 });
    expect(JSON.stringify(state.spend).length).toBeLessThan(20_000);
  });

  it('a turn still covers requests that were too many to keep', () => {
    const drafts = Array.from({ length: 100 }, (_, index) => used(tokens(1, 0, 0.5), { id: `r${index}` }));
    expect(spent(begin(1), ...drafts, used(tokens(100, 3, 50), { scope: 'turn' }))).toMatchObject({
      inputTokens: 100,
      outputTokens: 3,
      costUsd: 50,
    });
  });

  it('stays small over endless model names and sessions', () => {
    const drafts = Array.from({ length: 200 }, (_, index) =>
      used(tokens(1, 0, 1), { scope: 'session-total', model: `m${index}`, session: `s${index}` }),
    );
    const state = stateAfter(started(), begin(1), ...drafts);
    expect(totalSpend(state.spend).costUsd).toBe(200);
    expect(Object.keys(state.spend.models).length).toBeLessThanOrEqual(33);
    expect(state.spend.sessionTotals).toHaveLength(16);
  });

  it('may call its model __proto__', () => {
    expect(
      spent(begin(1), used(tokens(1, 0, 1), { model: '__proto__' }), used(tokens(1, 0, 1), { model: 'constructor' })),
    ).toMatchObject({ costUsd: 2 });
  });

  it('remembers that dollars are only notional', () => {
    expect(stateAfter(started(), begin(1), used(tokens(1, 0, 1))).spend.notional).toBe(false);
    expect(
      stateAfter(started(), begin(1), used(tokens(1, 0, 1), { notional: true }), used(tokens(1, 0, 1))).spend.notional,
    ).toBe(true);
  });
});
