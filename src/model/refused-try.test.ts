import { describe, expect, it } from 'vitest';
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
} from '../../test/support/record.js';
import type { EventBodies } from './run-event.js';

const SPAWNED: Draft = { type: 'agent-spawned', pid: 1, startTime: '0' };
const HIT: Draft = { type: 'limit-hit', kind: 'usage-limit', message: 'come back later' };

const refused = (more: Partial<EventBodies['iteration-ended']> = {}): Draft[] => [
  begin(2),
  SPAWNED,
  HIT,
  end(2, { outcome: 'limited', error: 'come back later', ...more }),
];
const red = { ...trees('a', 'b'), tests: tests(1, 2), checks: { lint: { passed: false } } };
const before = [started(), baseline({ tests: tests(0, 3) }), begin(1), SPAWNED, end(1, { observation: red })];

describe('a try that the provider refused', () => {
  it('counts in no streak, also when its record has failing tests', () => {
    const { streaks } = stateAfter(...before);
    const after = stateAfter(...before, ...refused({ observation: { ...trees('b', 'b'), tests: tests(1, 2) } }));
    expect(after.streaks).toEqual(streaks);
  });

  it('leaves the tests and checks of the last iteration as what is known', () => {
    const { latest, recent } = stateAfter(...before, ...refused(), ...refused());
    expect(latest.observation).toMatchObject({ tests: tests(1, 2), checks: { lint: { passed: false } } });
    expect(latest.limitHit).toMatchObject({ message: 'come back later' });
    expect(recent.at(-1)).toMatchObject({ outcome: 'limited', testsFailed: undefined });
  });

  it('that did some work before shows what its own tests say', () => {
    const { latest, streaks } = stateAfter(
      ...before,
      ...refused({ observation: { ...trees('b', 'c'), tests: tests(0, 3) } }),
    );
    expect(latest.observation).toMatchObject({ tests: tests(0, 3) });
    expect(latest.observation.checks).toBeUndefined();
    expect(streaks.strictTestFailures).toBe(1);
  });

  it('that changed a protected file is seen', () => {
    const probes = { guard: { met: true } };
    const { latest } = stateAfter(...before, ...refused({ observation: { ...trees('b', 'b'), probes } }));
    expect(latest.observation).toMatchObject({ probes, tests: tests(1, 2) });
  });

  it('is no error of the agent', () => {
    expect(stateAfter(...before, ...refused()).latest.errors).toEqual([]);
  });

  it('is not charged when no model has answered, however often it happens', () => {
    const paid = [started(), ...iteration(1)];
    const tries = Array.from({ length: 5 }, () => refused({ unanswered: true })).flat();
    expect(stateAfter(...paid, ...tries).spend).toMatchObject({ estimatedIterations: 0, unknownIterations: 0 });
    expect(stateAfter(...paid, ...refused()).spend).toMatchObject({ estimatedIterations: 1 });
  });
});
