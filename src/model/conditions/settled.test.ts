import { describe, expect, it } from 'vitest';
import { baseline, begin, type Draft, end, started, stateAfter, tests, trees } from '../../../test/support/record.js';
import { evaluateCondition } from '../../standalone/evaluate.js';
import { factsOf } from '../../stop/facts.js';
import { judge } from '../../stop/judge.js';
import type { Facts } from '../judging/facts.js';
import type { Observation } from '../observation.js';
import { settled } from './settled.js';

const FACTS: Facts = { iteration: 2, spend: {}, streaks: {}, claims: {}, isIdle: false, differsFromStart: true };
const statusOf = (facts: Partial<Facts>, condition = settled()) => judge(condition, { ...FACTS, ...facts }).status;
const done = { saysDone: { from: 'status-line', evidence: 'it works' } } as const;

describe('work is settled', () => {
  it('when the agent says that it is done, or changes nothing more', () => {
    expect(statusOf(done)).toBe('met');
    expect(statusOf({ isIdle: true })).toBe('met');
    expect(statusOf({})).toBe('not-met');
  });

  it('never while nothing differs from the start, whatever the agent says', () => {
    expect(statusOf({ ...done, differsFromStart: false })).toBe('not-met');
    expect(statusOf({ isIdle: true, differsFromStart: false })).toBe('not-met');
    expect(statusOf({ ...done, iteration: 0 })).toBe('not-met');
  });

  it('not when the agent needs a person, whatever else it says', () => {
    expect(statusOf({ ...done, claims: { blocked: 'the key' } })).toBe('not-met');
    expect(statusOf({ isIdle: true, claims: { blocked: 'the key' } })).toBe('not-met');
  });

  it('not when the agent says that more work is left', () => {
    expect(statusOf({ claims: { continue: 'two parts' }, isIdle: true })).toBe('not-met');
  });

  it('by its word alone where files are not tracked, and unknown without a word', () => {
    expect(statusOf({ ...done, differsFromStart: undefined, isIdle: undefined })).toBe('met');
    expect(statusOf({ differsFromStart: undefined, isIdle: undefined })).toBe('unknown');
    expect(evaluateCondition(settled(), {}).status).toBe('not-met');
  });

  const idleAfter = (observation: Observation, more: Parameters<typeof end>[1] = {}, ...events: Draft[]) =>
    factsOf(stateAfter(started(), baseline({ tree: 'a' }), begin(1), ...events, end(1, { observation, ...more })))
      .isIdle;

  it('by an idle iteration only where it came to its end, undisturbed, and left every file as it was', () => {
    const same = trees('a', 'a');
    expect(idleAfter(same)).toBe(true);
    expect(idleAfter(trees('a', 'b', { kinds: { notes: 1 }, lines: [] }))).toBe(false);
    expect(idleAfter({})).toBeUndefined();
    expect(idleAfter(same, { outcome: 'failed', error: 'exit code 1' })).toBe(false);
    expect(idleAfter(same, { outcome: 'timed-out' })).toBe(false);
    expect(idleAfter(same, { outcome: 'skipped' })).toBe(false);
    expect(idleAfter({ ...same, request: { kind: 'request', sentence: 'Which one?' } })).toBe(false);
    expect(idleAfter(same, {}, { type: 'permission-denied', tool: 'Bash' })).toBe(false);
    expect(idleAfter(same, {}, { type: 'error-seen', kind: 'auth', message: 'no', fingerprint: 'no' })).toBe(false);
  });

  it('from the start in a run that begins with failing tests, where the condition asks for a green start only', () => {
    const afterGreen = settled({ onlyAfterGreenStart: true });
    expect(statusOf({ iteration: 0, baselineTests: tests(3, 1) }, afterGreen)).toBe('met');
    expect(statusOf({ baselineTests: tests(4, 0) }, afterGreen)).toBe('not-met');
    expect(statusOf({}, afterGreen)).toBe('met');
    expect(statusOf({ baselineTests: tests(3, 1) })).toBe('not-met');
  });
});
