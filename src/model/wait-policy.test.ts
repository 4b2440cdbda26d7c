import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, START, stateAfter } from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { refusedIn } from './phase.js';
import type { RunState } from './run-state.js';
import { countedWaitMs, isWithoutDelay, nextWait } from './wait-policy.js';

const NOW = Date.parse(START);
const waitOf = (state: RunState, nowMs: number, random = Math.random) => nextWait(state, nowMs, random);
const hit = (more: { resetsAt?: string; kind?: 'usage-limit' | 'overload' } = {}): Draft => ({
  type: 'limit-hit',
  kind: more.kind ?? 'usage-limit',
  message: 'come back later',
  ...more,
});

const { spec } = resolveConfig({ maxWait: '10s' });

/** Limited tries of the first iteration, one after the other. */
function limited(tries: number, limit: Draft = hit(), start: Draft = started()) {
  const drafts = Array.from({ length: tries }, (_, index) => [
    begin(1, index + 1),
    limit,
    end(1, { outcome: 'limited' }),
  ]);
  return stateAfter(start, ...drafts.flat());
}

const seconds = (until: string | undefined) => (Date.parse(until ?? '') - NOW) / 1000;

describe('the wait for a provider', () => {
  it('is none when nothing was limited', () => {
    expect(waitOf(stateAfter(started(), begin(1), end(1)), NOW)).toBeUndefined();
  });

  it('is until the reset, and a little longer for clocks that differ', () => {
    const resetsAt = new Date(NOW + 3_600_000).toISOString();
    expect(waitOf(limited(1, hit({ resetsAt })), NOW)).toEqual({
      for: 'usage-limit',
      reason: 'come back later',
      until: new Date(NOW + 3_602_000).toISOString(),
    });
  });

  it.each([
    [1, 30],
    [2, 60],
    [3, 120],
    [6, 720],
    [40, 720],
  ])('after %i tries without a reset time is about %i s, never the same twice', (tries, about) => {
    const least = waitOf(limited(tries), NOW, () => 0);
    const most = waitOf(limited(tries), NOW, () => 1);
    expect([seconds(least?.until), seconds(most?.until)]).toEqual([about * 0.75, about * 1.25]);
  });

  it('does not trust a reset that has passed', () => {
    const wait = waitOf(limited(1, hit({ resetsAt: new Date(NOW - 1000).toISOString() })), NOW, () => 0.5);
    expect(seconds(wait?.until)).toBe(30);
  });

  it('tells an overload from a usage limit', () => {
    expect(waitOf(limited(1, hit({ kind: 'overload' })), NOW)).toMatchObject({ for: 'overload' });
  });

  it.each(['usage-limit', 'overload'] as const)(
    'is not longer than max_wait when no reset was told: after the last try the run stops (%s)',
    (kind) => {
      const first = limited(1, hit({ kind }), started({}, { spec }));
      const since = Date.parse(refusedIn(first.phase)?.since ?? '');
      expect(waitOf(first, since)).toMatchObject({ until: new Date(since + 10_000).toISOString() });
      expect(waitOf(first, since + 11_000)).toMatchObject({ until: new Date(since + 11_000).toISOString() });
      expect(evaluateRun(first).stop).toBe(false);
      const last = limited(5, hit({ kind }), started({}, { spec }));
      const what = kind === 'overload' ? 'overload' : 'usage limit';
      expect(evaluateRun(last).reasons).toMatchObject([
        { class: 'blocked', message: expect.stringMatching(new RegExp(`${what}.*10s \\(the max_wait limit\\)`)) },
      ]);
    },
  );

  it('is not made when the reset is later than max_wait allows: the reason says what ends when', () => {
    const state = limited(1, hit({ resetsAt: '2026-03-01T05:30:00Z' }), started({}, { spec }));
    expect(evaluateRun(state).reasons).toMatchObject([
      { message: expect.stringMatching(/usage limit .*2026-03-01 05:30 UTC, .*max_wait \(10s\)/) },
    ]);
  });

  it.each([
    ['goes on as it was', 60_000, 3_600_000],
    ['is over when its time has passed', 3_600_001, 3_600_000],
    ['is no longer than it was to be when the clock has gone back a day', -86_400_000, -82_800_000],
    ['or to 1970', -NOW, -NOW + 3_600_000],
  ])('that a crash interrupted %s', (_, nowMs, untilMs) => {
    const until = new Date(NOW + 3_600_000).toISOString();
    const waiting: Draft = { type: 'waiting-started', for: 'usage-limit', until, at: START };
    const state = stateAfter(started(), begin(1), hit(), end(1, { outcome: 'limited' }), waiting);
    const wait = waitOf(state, NOW + nowMs);
    expect(wait?.until).toBe(new Date(NOW + untilMs).toISOString());
  });

  it.each(['crash', 'moved'] as const)(
    'is made for a second limit, after a resume (%s) from a wait that had passed',
    (cause) => {
      const until = new Date(NOW + 1000).toISOString();
      const resetsAt = new Date(NOW + 3_600_000).toISOString();
      const state = stateAfter(
        started(),
        begin(1),
        hit(),
        end(1, { outcome: 'limited' }),
        { type: 'waiting-started', for: 'usage-limit', until, at: START },
        { type: 'run-resumed', cause },
        begin(1, 2),
        end(1),
        begin(2),
        hit({ resetsAt }),
        end(2, { outcome: 'limited' }),
      );
      expect(seconds(waitOf(state, NOW + 60_000)?.until)).toBe(3602);
    },
  );

  it('is bounded by max_wait, not by a number of tries', () => {
    const patient = started({}, { spec: resolveConfig({ maxWait: '6h' }).spec });
    const refused = (atMs: number): Draft => ({
      ...end(1, { outcome: 'limited' }),
      at: new Date(NOW + atMs).toISOString(),
    });
    const tries = (count: number, lastMs: number) =>
      Array.from({ length: count }, (_, index) => [
        begin(1, index + 1),
        hit(),
        refused((lastMs * index) / (count - 1)),
      ]);
    const stop = (count: number, lastMs: number) => evaluateRun(stateAfter(patient, ...tries(count, lastMs).flat()));
    expect(stop(30, 6 * 3_600_000 - 1).stop).toBe(false);
    expect(stop(30, 6 * 3_600_000).reasons).toMatchObject([{ path: 'max_wait', class: 'blocked' }]);
  });

  it('grows also when every refusal names a reset that is about to come', () => {
    const soon = hit({ resetsAt: new Date(NOW + 1000).toISOString() });
    expect(seconds(waitOf(limited(3, soon), NOW)?.until)).toBe(3);
    expect(seconds(waitOf(limited(10, soon), NOW, () => 0)?.until)).toBe(540);
  });

  it('is made anew when the try after it is refused, too', () => {
    const waited: readonly Draft[] = [
      { type: 'waiting-started', for: 'overload', until: START },
      { type: 'waiting-ended' },
    ];
    const refused = (attempt: number) => [begin(1, attempt), hit(), end(1, { outcome: 'limited' })];
    expect(waitOf(stateAfter(started(), ...refused(1), ...waited, ...refused(2)), NOW, () => 0.5)).toMatchObject({
      until: new Date(NOW + 60_000).toISOString(),
    });
  });

  it('is over once it has ended, also when the loop rests again before the next try', () => {
    const refused = [
      begin(1),
      hit({ resetsAt: new Date(NOW + 3_600_000).toISOString() }),
      end(1, { outcome: 'limited' }),
    ];
    const waited: readonly Draft[] = [
      { type: 'waiting-started', for: 'usage-limit', until: new Date(NOW + 3_602_000).toISOString() },
      { type: 'waiting-ended' },
    ];
    const asking: Draft = { type: 'waiting-started', for: 'approval' };
    const extended: Draft = { type: 'limit-extended', limit: { type: 'max_iterations', count: 9 }, by: 'me' };
    for (const after of [[], [asking], [asking, extended]]) {
      expect(waitOf(stateAfter(started(), ...refused, ...waited, ...after), NOW)).toBeUndefined();
    }
  });

  it('is made for an attempt that is refused while the run waits for another', () => {
    const refused = (index: number): Draft => {
      return { type: 'attempt-ended', item: 'x', index, attempt: 1, outcome: 'limited', durationMs: 1 };
    };
    const waited: Draft[] = [{ type: 'waiting-started', for: 'overload', until: START }, { type: 'waiting-ended' }];
    const [begun, over] = waited as [Draft, Draft];
    const first = [started({}, { kind: 'pipeline', items: 2 }), refused(0), begun];
    expect(waitOf(stateAfter(...first, refused(1), over), NOW)).toMatchObject({ for: 'usage-limit' });
    expect(waitOf(stateAfter(...first, refused(1), over, ...waited), NOW)).toBeUndefined();
    expect(waitOf(stateAfter(...first, over), NOW)).toBeUndefined();
  });

  const attempt = (index: number, second: number): Draft => {
    const at = new Date(NOW + second * 1000).toISOString();
    return { type: 'attempt-started', item: `${index}`, index, attempt: 1, at };
  };
  const ended = (index: number, outcome: 'limited' | 'interrupted' | 'approved', second: number): Draft => {
    const at = new Date(NOW + second * 1000).toISOString();
    return { type: 'attempt-ended', item: `${index}`, index, attempt: 1, outcome, durationMs: 1, at };
  };
  const waited: readonly Draft[] = [{ type: 'waiting-started', for: 'usage-limit' }, { type: 'waiting-ended' }];
  const twoItems = started({}, { kind: 'pipeline', items: 2 });
  const refusedOnce = [twoItems, attempt(0, 1), attempt(1, 1), ended(0, 'limited', 2)];

  it('is made although a crash interrupted another attempt', () => {
    const resetsAt = new Date(NOW + 7_200_000).toISOString();
    const waiting: Draft = { type: 'waiting-started', for: 'usage-limit', until: resetsAt };
    const crashed: Draft = { type: 'run-resumed', cause: 'crash' };
    const state = stateAfter(...refusedOnce, hit({ resetsAt }), waiting, crashed, ended(1, 'interrupted', 9));
    expect(waitOf(state, NOW + 60_000)).toMatchObject({ until: resetsAt });
  });

  it('is made although an attempt that started before the refusal was let through', () => {
    expect(waitOf(stateAfter(...refusedOnce, ended(1, 'approved', 3)), NOW)).toBeDefined();
    const late = [...refusedOnce, ...waited, attempt(0, 60), ended(1, 'limited', 70), ended(0, 'approved', 80)];
    expect(waitOf(stateAfter(...late), NOW)).toBeDefined();
    // One that carries the refusals of an earlier row.
    const next = [...refusedOnce, ...waited, attempt(0, 60), attempt(1, 60), ended(0, 'approved', 70)];
    const again = stateAfter(...next, attempt(0, 71), ended(0, 'limited', 72), ended(1, 'approved', 73));
    expect(waitOf(again, NOW)).toBeDefined();
  });

  it('is not made again after an attempt that started after the refusal was let through', () => {
    const state = stateAfter(
      ...refusedOnce,
      ended(1, 'limited', 3),
      ...waited,
      attempt(0, 60),
      ended(0, 'approved', 70),
    );
    expect(refusedIn(state.phase)).toBeUndefined();
  });

  it('is measured from when the provider last let an attempt start that it did not refuse', () => {
    const both = [...refusedOnce, ended(1, 'limited', 3), ...waited, attempt(0, 60), attempt(1, 60)];
    const state = stateAfter(...both, ended(0, 'limited', 70), ended(1, 'approved', 80));
    expect(refusedIn(state.phase)).toMatchObject({
      since: new Date(NOW + 60_000).toISOString(),
      tries: 2,
      wait: 'due',
    });
  });

  it('takes nothing away from the time waited when the clock is set back meanwhile', () => {
    const wait = { for: 'overload', since: START } as const;
    expect(countedWaitMs(wait, new Date(NOW + 5000).toISOString())).toBe(5000);
    expect(countedWaitMs(wait, new Date(NOW - 5000).toISOString())).toBe(0);
  });

  it('takes the place of the delay before the next try, and of no other', () => {
    expect(isWithoutDelay(stateAfter(...refusedOnce, ended(1, 'limited', 3), ...waited))).toBe(true);
    expect(isWithoutDelay(stateAfter(started(), begin(1), end(1)))).toBe(false);
  });

  it('is not given up because the machine was off meanwhile', () => {
    const drafts = [begin(1), hit(), end(1, { outcome: 'limited' })];
    const resumed: Draft = { type: 'run-resumed', cause: 'crash', at: '2026-03-02T00:00:00.000Z' };
    expect(evaluateRun(stateAfter(started({}, { spec }), ...drafts, resumed)).stop).toBe(false);
  });
});
