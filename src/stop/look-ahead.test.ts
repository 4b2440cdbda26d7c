import { describe, expect, it } from 'vitest';
import { condition, facts } from '../../test/support/facts.js';
import { begin, end, iteration, START, started, stateAfter, used } from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import type { Policy } from '../model/policy.js';
import { forecast } from './forecast.js';
import { interruptingEntries, isLive, nextProbe, nextThreshold } from './evaluate-policy.js';

const limits = (...inputs: unknown[]): Policy => ({ success: [], failure: [], limits: inputs.map(condition) });

describe('live conditions', () => {
  it.each([
    [{ max_cost: 1 }, true],
    [{ max_duration: '1s' }, true],
    ['on_error', true],
    [{ max_iterations: 1 }, false],
    ['all_tests_pass', false],
    [{ all: [{ max_cost: 1 }, { max_tokens: 1 }] }, true],
    [{ any: [{ max_cost: 1 }, { max_iterations: 1 }] }, false],
    [{ not: { max_cost: 1 } }, false],
    [{ all: [{ max_cost: 1 }, { not: { max_tokens: 1 } }] }, false],
    [{ for: { iterations: 1, condition: { max_cost: 1 } } }, false],
    ['never', false],
  ])('%j: %s', (input, live) => expect(isLive(condition(input))).toBe(live));

  it('are told once per policy, goals left out', () => {
    const policy = { ...limits({ max_cost: 1 }, { max_iterations: 3 }), success: [condition({ output_pattern: 'x' })] };
    expect(interruptingEntries(policy).map((entry) => entry.path)).toEqual(['stop.limits[0]']);
    expect(interruptingEntries(policy)).toBe(interruptingEntries(policy));
  });
});

describe('the next threshold in time', () => {
  const state = stateAfter(started(), { type: 'tick', activeMs: 60_000 });

  it('is the nearest of each clock that is still ahead', () => {
    const policy = limits(
      { max_duration: '2m' },
      { any: [{ max_duration: '90s' }, { deadline: '2026-03-01T00:10:00Z' }] },
      { not: { deadline: '2026-03-01T00:20:00Z' } },
    );
    expect(nextThreshold(policy, state)).toEqual({ afterActiveMs: 30_000, at: '2026-03-01T00:10:00.000Z' });
  });

  it('leaves out what has passed, and what has no time in it', () => {
    expect(nextThreshold(limits({ max_duration: '1m' }, { deadline: START }), state)).toStrictEqual({});
    expect(nextThreshold(limits({ deadline: '2026-03-01T00:00:01Z' }), state)).toStrictEqual({});
    expect(nextThreshold(limits({ max_iterations: 3 }, 'all_tests_pass'), state)).toStrictEqual({});
    expect(nextThreshold(limits({ max_duration: '61s' }), state)).toEqual({ afterActiveMs: 1000 });
  });

  it('knows a deadline before anything was recorded', () => {
    expect(nextThreshold(limits({ deadline: START }), stateAfter())).toEqual({ at: START });
  });
});

describe('the next probe', () => {
  const script = { custom_script: 'slow.sh' };
  const file = { file_created: 'DONE.md' };
  const text = { file_contains: { path: 'a', content: 'b' } };
  const call = { type: 'function', name: 'enough' };
  const next = (success: unknown[], more = {}) =>
    nextProbe({ ...limits(), success: success.map(condition) }, facts(more));
  const answered = (...inputs: unknown[]) => ({
    probes: Object.fromEntries(inputs.map((input) => [conditionKey(condition(input)), { met: true }])),
  });

  it('is the cheapest that is open', () => {
    expect(next([script, call, text, file])).toEqual(condition(file));
    expect(next([script, call, text, file], answered(file))).toEqual(condition(text));
    expect(next([script, call, text], answered(text))).toEqual(condition(call));
    expect(next([script, call], answered(call))).toEqual(condition(script));
    expect(next([script], answered(script))).toBeUndefined();
  });

  it('is none that can change nothing', () => {
    const red = { iteration: 1 };
    expect(next([{ all: [{ max_iterations: 5 }, script] }], red)).toBeUndefined();
    expect(next([{ any: [{ max_iterations: 1 }, script] }], red)).toBeUndefined();
    expect(next([{ all: [{ max_iterations: 1 }, script] }], red)).toEqual(condition(script));
    expect(next([{ not: script }], red)).toEqual(condition(script));
  });

  it('is asked even when a streak has long been decided: the next iteration needs the answer', () => {
    expect(next([{ for: { iterations: 3, condition: script } }], { iteration: 0 })).toEqual(condition(script));
  });

  it('is asked although a streak is met by what was before: this iteration may break it', () => {
    const lasting = { for: { iterations: 3, condition: script } };
    const holds = { [conditionKey(condition(lasting))]: { iterations: 3, upTo: 3 } };
    expect(next([lasting], { iteration: 4, holds })).toEqual(condition(script));
  });

  it('is, before the first iteration, each file that must be fresh: whether it is there now decides later', () => {
    const fresh = { file_created: { path: 'DONE.md', fresh: true } };
    const refuted = (inner: unknown) => [{ all: [{ max_iterations: 5 }, inner] }];
    expect(next(refuted(fresh), { iteration: 0 })).toEqual(condition(fresh));
    expect(next(refuted(fresh), { iteration: 0, ...answered(fresh) })).toBeUndefined();
    expect(next(refuted(fresh), { iteration: 1 })).toBeUndefined();
    for (const other of [file, text, call, script, 'all_tests_pass']) {
      expect(next(refuted(other), { iteration: 0 })).toBeUndefined();
    }
  });

  it('is each list and each metric, whatever the others say: progress follows from them', () => {
    const list = { checklist_done: 'PLAN.md' };
    const metric = { metric: { command: './p95', better: 'lower', target: 100 } };
    for (const goal of [list, metric]) {
      expect(next([{ all: [{ max_iterations: 5 }, goal] }], { iteration: 1 })).toEqual(condition(goal));
      expect(next([{ any: [{ max_iterations: 1 }, goal] }], { iteration: 1 })).toEqual(condition(goal));
    }
    expect(next([metric, call, list])).toEqual(condition(list));
  });

  it('is not one that was tried and could not be told', () => {
    expect(next([script], { probes: { [conditionKey(condition(script))]: { detail: 'timed out' } } })).toBeUndefined();
  });

  it('is no condition that a program or a file cannot answer', () => {
    expect(next(['all_tests_pass', { protected_path_changed: 'a' }])).toBeUndefined();
  });
});

describe('the forecast', () => {
  const iterations = (...costs: number[]) =>
    costs.flatMap((costUsd, index) => [
      { ...begin(index + 1), activeMs: index * 10_000 },
      { ...used({ inputTokens: costUsd * 100, outputTokens: costUsd * 10, costUsd }), activeMs: index * 10_000 },
      { ...end(index + 1, { durationMs: 8000 }), activeMs: (index + 1) * 10_000 },
    ]);
  const ahead = (policy: Policy, ...costs: number[]) =>
    forecast(policy, stateAfter(started(policy), ...iterations(...costs)));

  it('is none before two iterations', () => {
    expect(ahead(limits({ max_iterations: 10 }), 1)).toEqual([]);
    expect(ahead(limits({ max_iterations: 10 }), 1, 1)).toHaveLength(1);
    expect(forecast(limits({ max_iterations: 10 }), stateAfter())).toEqual([]);
  });

  it('is the median of the last five: one dear iteration does not move it', () => {
    const [cost] = ahead(limits({ max_cost: 20 }), 9, 1, 1, 5, 1, 1);
    expect(cost).toEqual({ path: 'stop.limits[0]', iteration: 8, inMs: 20_000, at: '2026-03-01T00:00:38.000Z' });
    expect(ahead(limits({ max_cost: 32 }), 9, 9, 9, 1, 1, 1)[0]?.iteration).toBe(8);
  });

  it('of an even number is the mean of the middle two', () => {
    expect(ahead(limits({ max_cost: 14 }), 1, 3)[0]?.iteration).toBe(7);
  });

  it('is there for every kind of limit', () => {
    const policy = limits(
      { max_iterations: 10 },
      { max_duration: '1m' },
      { deadline: '2026-03-01T00:01:06Z' },
      { max_tokens: 1100 },
      { max_input_tokens: 800 },
      { max_output_tokens: 90 },
      { max_cost: 4 },
    );
    expect(ahead(policy, 1, 1, 1).map(({ iteration }) => iteration)).toEqual([10, 6, 9, 10, 8, 9, 4]);
  });

  it('of any is the nearest, of all the farthest, and unknown where a part is', () => {
    const either = [{ max_cost: 5 }, { max_iterations: 9 }];
    expect(ahead(limits({ any: either }, { all: either }), 1, 1).map(({ iteration }) => iteration)).toEqual([5, 9]);
    const unknown = [{ max_cost: 5 }, 'all_tests_pass'];
    expect(ahead(limits({ any: unknown }), 1, 1)).toHaveLength(1);
    expect(ahead(limits({ all: unknown }), 1, 1)).toHaveLength(0);
    expect(ahead(limits({ any: ['all_tests_pass'] }, 'never', { not: { max_cost: 1 } }), 1, 1)).toHaveLength(0);
  });

  it('of a limit that is used up is now', () => {
    expect(
      ahead(limits({ max_cost: 1 }, { max_iterations: 1 }), 1, 1).map(({ iteration, inMs }) => [iteration, inMs]),
    ).toEqual([
      [2, 0],
      [2, 0],
    ]);
  });

  it('of a limit that is used up is now also where nothing more is spent, and none where it is not known what is', () => {
    const state = stateAfter(started(), ...iterations(1, 0, 0, 0, 0, 0));
    expect(forecast(limits({ max_cost: 1 }), state).map(({ inMs }) => inMs)).toEqual([0]);
    expect(forecast(limits({ max_cost: 2 }), state)).toEqual([]);
    const once = state.recent.map((one, index) => (index === 5 ? one : { ...one, spend: {} }));
    expect(forecast(limits({ max_cost: 1 }), { ...state, recent: once })).toEqual([]);
    const twice = state.recent.map((one, index) => (index > 3 ? one : { ...one, spend: {} }));
    expect(forecast(limits({ max_cost: 1 }), { ...state, recent: twice })).toHaveLength(1);
  });

  it('leaves out what several runs share, and what is farther away than any date', () => {
    const shared = limits({ max_cost_per_day: 5 }, { max_cost_of_batch: 5 }, { circuit_breaker: 5 });
    expect(ahead(shared, 1, 1)).toEqual([]);
    expect(ahead(limits({ any: [{ max_cost_per_day: 5 }, { max_iterations: 9 }] }), 1, 1)).toHaveLength(1);
    expect(ahead(limits({ max_cost: 1e300 }), 1, 1)).toEqual([]);
    expect(forecast(limits({ max_duration: '9s' }), { ...stateAfter(), recent: [] })).toEqual([]);
  });

  it('is none where the active time of the record goes back', () => {
    const state = stateAfter(started(), ...iterations(1, 1, 1));
    const recent = state.recent.map((one, index) => ({ ...one, durationMs: -1, activeMs: -index }));
    expect(forecast(limits({ max_duration: '1h' }), { ...state, recent })).toEqual([]);
  });

  it('is none where nothing is spent or nothing is known', () => {
    expect(ahead(limits({ max_cost: 1 }), 0, 0)).toEqual([]);
    expect(ahead(limits({ any: [{ max_cost: 1 }, 'never'] }), 0, 0)).toEqual([]);
    const once = [...iterations(1, 1), begin(3), used({ inputTokens: 5, outputTokens: 5 }), end(3)];
    const tokens = limits({ max_tokens: 999 }, { max_cost: 9 });
    expect(forecast(tokens, stateAfter(started(tokens), ...once)).map(({ path }) => path)).toEqual(['stop.limits[0]']);
    const policy = limits({ max_cost: 1 });
    const untold = [1, 2].flatMap((number) => [begin(number), used({ inputTokens: 5, outputTokens: 5 }), end(number)]);
    expect(forecast(policy, stateAfter(started(policy), ...untold))).toEqual([]);
  });

  it('looks at limits alone, and not at iterations that gave their number back', () => {
    const policy = { ...limits(), failure: [condition({ max_cost: 9 })] };
    expect(ahead(policy, 1, 1)).toEqual([]);
    const state = stateAfter(started(), ...iteration(1), begin(2), end(2, { outcome: 'limited' }));
    expect(forecast(limits({ max_iterations: 9 }), state)).toEqual([]);
  });
});
