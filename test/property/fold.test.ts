import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reduce, reduceAll } from '../../src/model/reduce.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { loopStateOf, waitingOf } from '../../src/model/phase.js';
import { INITIAL_STATE, type RunState } from '../../src/model/run-state.js';
import { iterationSpend, totalSpend } from '../../src/model/spend-account.js';
import { evaluateLive, evaluateRun, nextProbe, nextThreshold } from '../../src/stop/evaluate-policy.js';
import { factsOf } from '../../src/stop/facts.js';
import { forecast } from '../../src/stop/forecast.js';
import { anyEvents } from './arbitraries.js';

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the fold of any events in any order', () => {
  it('is total, pure and plain data', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const before = JSON.stringify(events);
        const state = reduceAll(events);
        expect(JSON.stringify(events)).toBe(before);
        expect(json(reduceAll(json(events) as RunEvent[]))).toEqual(json(state));
        expect(state.seq).toBe(events.length);
      }),
    );
  });

  it('same journal, same verdict; also from a snapshot at any event', () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(), (events, where) => {
        const cut = events.length === 0 ? 0 : where % (events.length + 1);
        const snapshot = json(reduceAll(events.slice(0, cut))) as RunState;
        const resumed = reduceAll(events.slice(cut), snapshot);
        expect(json(evaluateRun(resumed))).toEqual(json(evaluateRun(reduceAll(events))));
      }),
    );
  });

  it('never gives active time, iterations or known spend back', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let state = INITIAL_STATE;
        for (const event of events) {
          const next = reduce(state, event);
          expect(next.activeMs).toBeGreaterThanOrEqual(state.activeMs);
          expect(next.iterations).toBeGreaterThanOrEqual(state.iterations);
          const [before, after] = [totalSpend(state.spend), totalSpend(next.spend)];
          for (const field of ['inputTokens', 'outputTokens', 'costUsd'] as const) {
            const [was, is] = [before[field], after[field]];
            if (was !== undefined && is !== undefined) expect(is).toBeGreaterThanOrEqual(was - 1e-9);
          }
          const [whole, part] = [after.costUsd, iterationSpend(next.spend).costUsd];
          if (whole !== undefined && part !== undefined) expect(part).toBeLessThanOrEqual(whole + 1e-9);
          state = next;
        }
      }),
    );
  });

  it('can be judged, forecast and asked for its next step after every event', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let state = INITIAL_STATE;
        for (const event of events) {
          state = reduce(state, event);
          const facts = factsOf(state);
          const verdict = evaluateRun(state);
          expect(verdict.stop).toBe(verdict.reasons.length > 0);
          expect(evaluateLive(state.policy, facts).reasons.every((reason) => reason.class !== 'goal')).toBe(true);
          nextProbe(state.policy, facts);
          const threshold = nextThreshold(state.policy, state);
          expect(threshold.afterActiveMs ?? 1).toBeGreaterThan(0);
          for (const ahead of forecast(state.policy, state)) {
            expect(ahead.iteration).toBeGreaterThanOrEqual(state.iterations);
            expect(ahead.inMs).toBeGreaterThanOrEqual(0);
          }
        }
      }),
    );
  });

  it('knows of no wait but the one that goes on', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let state = INITIAL_STATE;
        for (const event of events) {
          state = reduce(state, event);
          if (waitingOf(state) !== undefined) expect(loopStateOf(state)).toBe('waiting');
          if (event.type === 'iteration-started') expect(waitingOf(state)).toBeUndefined();
        }
      }),
    );
  });

  it('stays bounded however long it goes on', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const many = Array.from({ length: 20 }, () => events).flat();
        const state = reduceAll(many.map((event, index) => ({ ...event, seq: index + 1 })));
        expect(state.recent.length).toBeLessThanOrEqual(100);
        expect(state.trees.length).toBeLessThanOrEqual(256);
        expect(state.latest.errors.length).toBeLessThanOrEqual(20);
        expect(state.spend.sessionTotals.length).toBeLessThanOrEqual(16);
      }),
      { numRuns: 20 },
    );
  });
});

it('a fact that accepted tests do not carry stays as it was, in memory as from the journal', () => {
  const request = { kind: 'none' } as const;
  const events = [
    { v: 1, seq: 1, at: '2026-03-01T00:00:00.000Z', activeMs: 0, type: 'baseline-observed', observation: { request } },
    {
      v: 1,
      seq: 2,
      at: '2026-03-01T00:00:01.000Z',
      activeMs: 0,
      type: 'tests-accepted',
      by: 'you',
      observation: { request: undefined },
    },
  ] as unknown as readonly RunEvent[];
  expect(reduceAll(events).latest.observation.request).toEqual(request);
});
