import { describe, expect, it } from 'vitest';
import { realisticEvents } from '../../../../../test/contract/realistic-events.js';
import { record } from '../../../../../test/support/record.js';
import { reduce } from '../../../../model/reduce.js';
import { INITIAL_STATE } from '../../../../model/run-state.js';
import { reachedAlready } from './extend-form.js';

const state = record(realisticEvents(40)).reduce(reduce, INITIAL_STATE);
const nowMs = Date.parse(state.at ?? '');

describe('a limit that is about to be set', () => {
  it('at or below what is used already is told before it stops the run', () => {
    expect(state.iterations).toBeGreaterThan(2);
    const used = state.iterations;
    expect(reachedAlready({ type: 'max_iterations', count: used }, state, nowMs)).toContain(`${used} of ${used}`);
    expect(reachedAlready({ type: 'max_iterations', count: 1 }, state, nowMs)).toContain('of 1 iteration');
    expect(reachedAlready({ type: 'max_duration', duration: '1s' }, state, nowMs)).toBeDefined();
    expect(reachedAlready({ type: 'deadline', at: '2001-01-01T00:00:00Z' }, state, nowMs)).toBeDefined();
  });

  it('above it is not', () => {
    expect(reachedAlready({ type: 'max_iterations', count: state.iterations + 1 }, state, nowMs)).toBeUndefined();
    expect(reachedAlready({ type: 'max_duration', duration: '10000h' }, state, nowMs)).toBeUndefined();
  });
});
