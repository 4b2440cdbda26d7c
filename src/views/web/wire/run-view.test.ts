import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { realisticEvents } from '../../../../test/contract/realistic-events.js';
import { anyEvents } from '../../../../test/property/arbitraries.js';
import { iteration, record, started, used } from '../../../../test/support/record.js';
import { recordedRun } from '../../../../test/support/recorded-run.js';
import { reduceAll } from '../../../model/reduce.js';
import type { NewEvent, RunEvent } from '../../../model/run-event.js';
import { totalSpend } from '../../../model/spend-account.js';
import { type RunView, ViewFold } from './run-view.js';

/** As it arrives at the page. */
function sent(view: RunView): RunView {
  return JSON.parse(JSON.stringify(view)) as RunView;
}

function fold(events: readonly RunEvent[], from?: RunView): RunView {
  const folding = new ViewFold(from);
  for (const event of events) folding.add(event);
  return folding.view;
}

const RUNS = { 'a run of iterations': record(realisticEvents(60)), 'the recorded run': recordedRun() };

describe('the view of a run', () => {
  it.each(Object.entries(RUNS))('opened at any event of %s, and gone on from there, shows the same', (_, events) => {
    const whole = sent(fold(events));
    for (let cut = 0; cut <= events.length; cut += 1) {
      const reopened = fold(events.slice(cut), sent(fold(events.slice(0, cut))));
      expect(sent(reopened)).toEqual(whole);
    }
  });

  it('is total over any events in any order', () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(), (events, where) => {
        const cut = where % (events.length + 1);
        expect(sent(fold(events.slice(cut), sent(fold(events.slice(0, cut)))))).toEqual(sent(fold(events)));
      }),
    );
  });

  it('has the state of the record after any events, also after those that only move it on', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        expect(fold(events).state).toEqual(reduceAll(events));
      }),
    );
    const denied: NewEvent[] = [
      { type: 'permission-denied', tool: 'Bash' },
      { type: 'tool-answered', denied: true },
      { type: 'tool-answered', output: 'ok' },
      { type: 'agent-said', text: 'a' },
      { type: 'agent-said', text: 'a', matches: { '/a/': 'a' } },
    ];
    const unordered = [90_000, 5, 80_000].map((activeMs) => ({ type: 'tick' as const, activeMs }));
    const events = record([...realisticEvents(4), ...denied, ...denied.slice(0, 2), ...unordered]);
    for (let count = 0; count <= events.length; count += 1) {
      expect(fold(events.slice(0, count)).state).toEqual(reduceAll(events.slice(0, count)));
    }
    const said: NewEvent[] = Array.from({ length: 1000 }, () => ({ type: 'agent-said', text: 'x' }));
    const folding = new ViewFold();
    for (const event of record(said)) folding.add(event);
    expect(folding.seq).toBe(1000);
    expect(folding.view.state).toMatchObject({ seq: 1000, activeMs: 999_000 });
  });

  it('has a row for every iteration, also for those that the state keeps no more', () => {
    const { rows, state } = fold(record(realisticEvents(1 + 9 * 150)));
    expect(state.recent.length).toBeLessThan(rows.length);
    expect(rows.map(({ iteration }) => iteration)).toEqual(rows.map((_, index) => index + 1));
  });

  it('has in each row what reviews have spent by the next iteration', () => {
    const about = { tree: 'b', cause: 'goal', reviewer: 'r', evidence: 'e' } as const;
    const review = (n: number) =>
      [
        { type: 'review-started', iteration: n, ...about },
        used({ costUsd: 0.25, totalTokens: 100 }, { id: `r${n}`, review: true }),
        { type: 'review-ended', iteration: n, ...about, durationMs: 1 },
      ] as const;
    const drafts = [started(), ...iteration(1), ...review(1), ...iteration(2), ...iteration(3), ...review(3)];
    const { rows, state } = fold(record(drafts));
    expect(rows.map(({ reviewsCostUsd }) => reviewsCostUsd)).toEqual([0.25, 0.25, 0.5]);
    expect(rows.map(({ reviewsTokens }) => reviewsTokens)).toEqual([100, 100, 200]);
    const own = rows.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
    expect(own + (rows.at(-1)?.reviewsCostUsd ?? 0)).toBeCloseTo(totalSpend(state.spend).costUsd ?? 0);
  });

  it('does not grow with what an agent says', () => {
    const said: NewEvent[] = Array.from({ length: 300 }, () => ({ type: 'agent-said', text: 'x'.repeat(60_000) }));
    const { spoken, spokenCharacters } = fold(record([...realisticEvents(4), ...said]));
    expect(JSON.stringify(spoken).length).toBeLessThan(600_000);
    expect(spokenCharacters).toBe(spoken.reduce((sum, event) => sum + JSON.stringify(event).length, 0));
    expect(spoken.at(-1)?.seq).toBe(304);
  });

  it('keeps the same words whether it is folded at once or event by event', () => {
    const lengths = [10, 60_000, 700_000, 300, 200_000];
    const said: NewEvent[] = Array.from({ length: 2500 }, (_, index) => ({
      type: 'agent-said',
      text: '"'.repeat(index % 600 < 30 ? (lengths[index % lengths.length] ?? 0) : index % 50),
    }));
    const events = record([...realisticEvents(4), ...said]);
    let stepwise = new ViewFold().view;
    for (const [index, event] of events.entries()) {
      stepwise = fold([event], stepwise);
      if (index % 250 === 0) expect(fold(events.slice(0, index + 1))).toEqual(stepwise);
    }
    expect(fold(events)).toEqual(stepwise);
  });

  it('of a long record measures only what it shows', () => {
    const events = record(realisticEvents(20_000));
    const measured = vi.spyOn(JSON, 'stringify');
    const { spoken } = fold(events);
    const times = measured.mock.calls.length;
    measured.mockRestore();
    expect(times).toBeLessThanOrEqual(spoken.length + 1);
  });
});
