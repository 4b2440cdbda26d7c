import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, iteration, started, stateAfter } from '../../test/support/record.js';
import { cutShortNote } from './cut-short.js';

const resumed: Draft = { type: 'run-resumed', cause: 'crash' };
const cut = (number: number, error?: string): Draft[] => [
  begin(number),
  end(number, { outcome: 'interrupted', interruption: 'crash', error }),
  resumed,
];
const broken = (error: string): Draft => ({ type: 'run-ended', state: 'error', reasons: [], error });
const note = (...drafts: readonly Draft[]) => cutShortNote(stateAfter(started(), ...drafts));

describe('iterations that a crash cut short', () => {
  it('are none in a run that nothing cut short', () => {
    expect(note(...iteration(1))).toBeUndefined();
    expect(note(begin(1), end(1, { outcome: 'interrupted', interruption: 'operator' }))).toBeUndefined();
  });

  it('are listed, with what cut them short', () => {
    const two = note(...iteration(1), ...cut(2), ...cut(3), ...iteration(4));
    expect(two).toMatch(/^Iterations 2 and 3 were .*killed or the machine went down.*each time/);
    expect(note(...cut(1), ...cut(2), ...cut(3))).toMatch(/^Iterations 1, 2 and 3 were /);
    expect(note(...iteration(1), ...cut(2), ...iteration(3))).toMatch(
      /^Iteration 2 was .*killed.*; the run was resumed/,
    );
    expect(note(...iteration(1), ...cut(2), ...iteration(3))).not.toMatch(/each time/);
  });

  it('are blamed on Pawl where it failed, and on both where it is not the same each time', () => {
    const full = "ENOSPC: no space left on device, write 'x'";
    expect(note(...cut(1, full), ...iteration(2))).toMatch(/Pawl failed \(the disk is full\)/);
    expect(note(...cut(1, full), ...cut(2))).toMatch(/Pawl was killed or failed/);
    expect(note(...cut(1, full), ...cut(2, full))).toMatch(/Pawl was killed or failed/);
  });

  it('do not hold the one in which the run broke and ended', () => {
    const last = end(2, { outcome: 'interrupted', interruption: 'crash', error: 'x' });
    expect(note(...iteration(1), begin(2), last, broken('x'))).toBeUndefined();
    expect(note(...cut(1), begin(2), last, broken('x'))).toMatch(/^Iteration 1 was /);
    expect(note(...cut(1, 'x'), begin(2), last, broken('x'))).toMatch(/^Iteration 1 was /);
    expect(note(...iteration(1), begin(2), last)).toMatch(/^Iteration 2 was /);
    const killed = end(2, { outcome: 'interrupted', interruption: 'crash' });
    expect(note(...iteration(1), begin(2), killed, broken('x'))).toMatch(/^Iteration 2 was /);
    const stopped: Draft = { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] };
    expect(note(...iteration(1), begin(2), last, stopped)).toMatch(/^Iteration 2 was /);
  });

  it('have a cost that is an estimate, or unknown where nothing was reported before', () => {
    expect(note(...iteration(1), ...cut(2))).toMatch(/\. Its cost is an estimate$/);
    expect(note(...iteration(1), ...cut(2), ...cut(3))).toMatch(/\. Their cost is an estimate$/);
    expect(note(...cut(1), ...cut(2))).toMatch(/\. Their cost is unknown$/);
    expect(note(...cut(1), ...iteration(2), ...cut(3))).toMatch(/\. Their cost is unknown$/);
    const state = stateAfter(started(), ...iteration(1), ...cut(2));
    const recent = state.recent.map((one) => ({ ...one, estimated: false }));
    expect(cutShortNote({ ...state, recent })).toMatch(/the run was resumed on the files as they were then$/);
  });
});
