import { describe, expect, it } from 'vitest';
import { baseline, iteration, record, started, stateAfter, tests } from '../../test/support/record.js';
import { NEWEST_RULES } from '../model/condition-catalog.js';
import type { RuleVersions } from '../model/judging/facts.js';
import type { Policy } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { measureOf } from '../stop/judge.js';
import { replay } from './replay.js';

const STREAK = { type: 'test_failure_streak', count: 5 } as const;
const POLICY: Policy = { success: [], failure: [STREAK], limits: [] };

/** Test-first work: all tests pass at the start, then ever fewer of the new ones fail. Only version 1 gives up on it. */
const drafts = (rules: RuleVersions | undefined) => [
  started(POLICY, { rules }),
  baseline({ tests: tests(9, 0) }),
  ...[9, 8, 7, 6, 5].flatMap((failed, index) => iteration(index + 1, { tests: tests(9, failed) })),
];
const SPEC = { policy: POLICY, agent: {}, session: {} } as unknown as RunSpec;
const resumed = { type: 'run-resumed', cause: 'crash' } as const;

describe('a rule that has changed', () => {
  it('a run recorded before its rules had versions is judged by version 1', () => {
    const state = stateAfter(...drafts(undefined));
    expect(evaluateRun(state)).toMatchObject({
      class: 'failure',
      reasons: [{ message: 'tests did not improve for 5 iterations' }],
    });
    expect(measureOf(STREAK, factsOf(state))).toMatchObject({ value: 5 });
  });

  it('a run that records its version is judged by it', () => {
    const state = stateAfter(...drafts({ test_failure_streak: 2 }));
    expect(evaluateRun(state).stop).toBe(false);
    expect(measureOf(STREAK, factsOf(state))).toMatchObject({ value: 0 });
    expect(state.streaks).not.toHaveProperty('testFailuresV1');
  });

  it('a run of a later version of Pawl is judged by the newest that is known', () => {
    expect(evaluateRun(stateAfter(...drafts({ test_failure_streak: 9 }))).stop).toBe(false);
  });

  it.each([
    ['after a crash', resumed],
    ['with a changed config', { ...resumed, spec: SPEC, policy: POLICY }],
  ])('a run that is resumed %s keeps its rules', (_, event) => {
    expect(evaluateRun(stateAfter(...drafts(undefined), event)).stop).toBe(true);
    const newer = stateAfter(...drafts(NEWEST_RULES), event);
    expect(newer.rules).toEqual(NEWEST_RULES);
    expect(evaluateRun(newer).stop).toBe(false);
  });

  it('a run whose user asks for the newest rules is judged by them from then on, over all of its record', () => {
    const state = stateAfter(...drafts(undefined), { ...resumed, rules: NEWEST_RULES });
    expect(evaluateRun(state)).toMatchObject({ stop: false, judgements: [{ status: 'not-met', progress: 0 }] });
  });

  it('a replay under the policy of the run uses the rules of the run, one under another policy the newest', () => {
    const events = record(drafts(undefined));
    expect(replay(events).stop).toMatchObject({ class: 'failure', iteration: 5 });
    expect(replay(events, POLICY).stop).toBeUndefined();
    expect(replay(record(drafts(NEWEST_RULES))).stop).toBeUndefined();
  });

  it('lost tests and tests without counts add to a streak of version 1, as they did', () => {
    const gone = { source: 'harness', exitCode: 127, details: [] } as const;
    const red = [1, 2, 3, 4, 5].flatMap((number) => iteration(number, { tests: gone }));
    const before = [started({ failure: [STREAK] }, { rules: undefined }), baseline({ tests: tests(3, 2) })];
    expect(stateAfter(...before, ...red).streaks.testFailuresV1).toBe(5);
  });

  it('lost tests add to a strict streak of version 1, as they did, and not to one of version 2', () => {
    const strict = { ...STREAK, strict: true } as const;
    const gone = { source: 'harness', exitCode: 127, details: [] } as const;
    const red = [1, 2, 3, 4, 5].flatMap((number) => iteration(number, { tests: number > 3 ? gone : tests(3, 2) }));
    const green = iteration(6, { tests: tests(5, 0) });
    const measured = (rules: RuleVersions | undefined, after = red) => {
      const state = stateAfter(started({ failure: [strict] }, { rules }), baseline({ tests: tests(3, 2) }), ...after);
      return [measureOf(strict, factsOf(state))?.value, evaluateRun(state).judgements[0]?.status];
    };
    expect(measured(undefined)).toEqual([5, 'met']);
    expect(measured(undefined, [...red, ...green])).toEqual([0, 'not-met']);
    expect(measured({ test_failure_streak: 2 })).toEqual([3, 'not-met']);
  });
});
