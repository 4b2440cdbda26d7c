import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  begin,
  baseline,
  type Draft,
  end,
  iteration,
  started,
  stateAfter,
  tests,
  trees,
} from '../../test/support/record.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import type { Observation } from './observation.js';
import { parseCondition } from './parse-condition.js';

const request = { kind: 'request', sentence: 'Postgres or SQLite?' } as const;
const same = trees('a', 'a');
const ASKS: Observation = { ...same, request };
const QUIET: Observation = { ...same, request: { kind: 'none' } };

const policy = { failure: [parseCondition('needs_person')] };
const run = (...drafts: readonly Draft[]) => stateAfter(started(policy), ...drafts);
const streak = (...drafts: readonly Draft[]) => run(...drafts).streaks.requests;
const stops = (...drafts: readonly Draft[]) => evaluateRun(run(...drafts)).stop;

describe('requests to a person in a row', () => {
  it('stop the run at the second, with the question', () => {
    expect(stops(...iteration(1, ASKS))).toBe(false);
    const { class: stopClass, reasons } = evaluateRun(run(...iteration(1, ASKS), ...iteration(2, ASKS)));
    expect(stopClass).toBe('blocked');
    expect(reasons[0]?.message).toBe('the agent needs you: "Postgres or SQLite?"');
  });

  it('are no longer in a row after an iteration that asked nothing', () => {
    expect(streak(...iteration(1, ASKS), ...iteration(2, QUIET))).toBe(0);
    expect(stops(...iteration(1, ASKS), ...iteration(2, QUIET), ...iteration(3, ASKS))).toBe(false);
  });

  it('do not count while tests improve: the agent finds its own way', () => {
    const red = (failed: number) => ({ tests: tests(9 - failed, failed) });
    const drafts = [baseline(red(3)), ...iteration(1, { ...ASKS, ...red(2) }), ...iteration(2, { ...ASKS, ...red(1) })];
    expect(streak(...drafts)).toBe(0);
    expect(streak(...drafts, ...iteration(3, { ...ASKS, ...red(1) }), ...iteration(4, { ...ASKS, ...red(1) }))).toBe(2);
  });

  it('do not stop an agent that still changes files, until it changes none', () => {
    const works = [...iteration(1, { ...ASKS, ...trees('a', 'b') }), ...iteration(2, { ...ASKS, ...trees('b', 'c') })];
    expect(stops(...works)).toBe(false);
    expect(stops(...works, ...iteration(3, { ...ASKS, ...trees('c', 'c') }))).toBe(true);
  });

  it('stop the run at the fifth, although each wrote something, unless a test gained', () => {
    const stuck = { request: { ...request, isStuck: true } } as const;
    const asking = (more: Observation) =>
      [1, 2, 3, 4, 5].flatMap((number) => iteration(number, { ...more, ...trees(`${number}`, `${number + 1}`) }));
    const writes = asking(stuck);
    // An agent that only asks what to do next finds something to do.
    expect(stops(...asking({ request }))).toBe(false);
    expect(stops(...writes.slice(0, -3))).toBe(false);
    expect(stops(...writes)).toBe(true);
    const gain = { tests: tests(9, 0) };
    const gained = iteration(5, { ...stuck, ...trees('5', '6'), ...gain });
    expect(stops(baseline({ tests: tests(8, 1) }), ...writes.slice(0, -3), ...gained)).toBe(false);
  });

  it('do not stop an agent that writes something in a run of version 1', () => {
    const stuck = { request: { ...request, isStuck: true } } as const;
    const writes = [1, 2, 3, 4, 5, 6].flatMap((number) =>
      iteration(number, { ...stuck, ...trees(`${number}`, `${number + 1}`) }),
    );
    expect(evaluateRun(stateAfter(started(policy, { rules: { no_progress: 2 } }), ...writes)).stop).toBe(false);
  });

  it.each<[string, Partial<Parameters<typeof end>[1]>]>([
    ['a try that the provider refused', { outcome: 'limited' }],
    ['an iteration that the operator interrupted', { outcome: 'interrupted', interruption: 'operator' }],
    ['an iteration that the operator skipped', { outcome: 'skipped' }],
  ])('stay in a row over %s', (_, more) => {
    const between = [begin(2), end(2, { observation: same, ...more })];
    expect(streak(...iteration(1, ASKS), ...between)).toBe(1);
    expect(stops(...iteration(1, ASKS), ...between, ...iteration(3, ASKS))).toBe(true);
  });

  it('are forgotten when a person resumes the run: that may be the answer', () => {
    const resumed: Draft = { type: 'run-resumed', cause: 'operator' };
    expect(streak(...iteration(1, ASKS), ...iteration(2, ASKS), resumed)).toBeUndefined();
  });

  it('are unknown in a record of before they were looked for, and stop nothing', () => {
    const state = run(...iteration(1, same), ...iteration(2, same));
    expect(state.streaks.requests).toBeUndefined();
    const { stop, judgements } = evaluateRun(state);
    expect([stop, judgements[0]?.status]).toEqual([false, 'unknown']);
  });

  it('are the question of the run until its next iteration', () => {
    expect(run(...iteration(1, ASKS)).question).toBe('Postgres or SQLite?');
    expect(run(...iteration(1, ASKS), begin(2)).question).toBeUndefined();
    expect(
      run(...iteration(1, { ...same, request: { kind: 'impossible', sentence: 'No.' } })).question,
    ).toBeUndefined();
  });
});

describe('properties of needs_person', () => {
  const unrelated = fc.constantFrom<Draft>(
    { type: 'tick' },
    { type: 'agent-said', text: 'I need your decision.' },
    { type: 'tool-called', name: 'Bash' },
    { type: 'tool-answered', output: 'I need your decision before I go on.' },
    { type: 'context-reported', usedTokens: 1, windowTokens: 2 },
    { type: 'session-opened', session: 's', resumed: false },
  );
  const observed = fc.constantFrom<Observation>(ASKS, QUIET, same, { request }, { ...ASKS, ...trees('a', 'b') });

  it('the order of unrelated events does not matter', () => {
    const shuffled = fc
      .array(unrelated, { maxLength: 6 })
      .chain((events) => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })));
    fc.assert(
      fc.property(fc.array(fc.tuple(observed, shuffled), { maxLength: 5 }), (iterations) => {
        const drafts = (order: 0 | 1) =>
          iterations.flatMap(([observation, events], index) => [
            begin(index + 1),
            ...events[order],
            end(index + 1, { observation }),
          ]);
        const [one, other] = [run(...drafts(0)), run(...drafts(1))];
        expect(evaluateRun(one)).toEqual(evaluateRun(other));
        expect(one.streaks.requests).toBe(other.streaks.requests);
      }),
    );
  });

  it('unknown never stops: without what the agent said, or without the tree', () => {
    const blind = fc.constantFrom<Observation>(same, { request }, {}, { ...QUIET });
    fc.assert(
      fc.property(fc.array(blind, { maxLength: 8 }), (observations) => {
        const drafts = observations.flatMap((observation, index) => iteration(index + 1, observation));
        expect(stops(...drafts)).toBe(false);
      }),
    );
  });
});
