import { describe, expect, it } from 'vitest';
import { tests } from '../../../test/support/record.js';
import { evaluateCondition } from '../../standalone/evaluate.js';
import { judge } from '../../stop/judge.js';
import type { Facts } from '../judging/facts.js';
import { settled } from './settled.js';

const FACTS: Facts = { iteration: 2, spend: {}, streaks: {}, claims: {}, newContent: true, differsFromStart: true };
const statusOf = (facts: Partial<Facts>, condition = settled()) => judge(condition, { ...FACTS, ...facts }).status;
const done = { saysDone: { from: 'status-line', evidence: 'it works' } } as const;

describe('work is settled', () => {
  it('when the agent says that it is done, or changes nothing more', () => {
    expect(statusOf(done)).toBe('met');
    expect(statusOf({ newContent: false })).toBe('met');
    expect(statusOf({})).toBe('not-met');
  });

  it('never while nothing differs from the start, whatever the agent says', () => {
    expect(statusOf({ ...done, differsFromStart: false })).toBe('not-met');
    expect(statusOf({ newContent: false, differsFromStart: false })).toBe('not-met');
    expect(statusOf({ ...done, iteration: 0 })).toBe('not-met');
  });

  it('not when the agent says that more work is left', () => {
    expect(statusOf({ claims: { continue: 'two parts' }, newContent: false })).toBe('not-met');
  });

  it('by its word alone where files are not tracked, and unknown without a word', () => {
    expect(statusOf({ ...done, differsFromStart: undefined, newContent: undefined })).toBe('met');
    expect(statusOf({ differsFromStart: undefined, newContent: undefined })).toBe('unknown');
    expect(evaluateCondition(settled(), {}).status).toBe('not-met');
  });

  it('from the start in a run that begins with failing tests, where the condition asks for a green start only', () => {
    const afterGreen = settled({ onlyAfterGreenStart: true });
    expect(statusOf({ iteration: 0, baselineTests: tests(3, 1) }, afterGreen)).toBe('met');
    expect(statusOf({ baselineTests: tests(4, 0) }, afterGreen)).toBe('not-met');
    expect(statusOf({}, afterGreen)).toBe('met');
    expect(statusOf({ baselineTests: tests(3, 1) })).toBe('not-met');
  });
});
