import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter } from '../../test/support/record.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import type { StopClass } from '../model/stop-class.js';
import { WAIT_PATH } from '../model/wait-policy.js';
import { canUndo, nextStepsOf, hasBrokenGuard, preconditionOf } from './run-summary.js';

const over = (stopClass: StopClass, path = 'x', error?: string): Draft => ({
  type: 'run-ended',
  state: error === undefined ? 'stopped' : 'error',
  class: stopClass,
  reasons: [{ path, class: stopClass, message: 'x' }],
  error,
});
const ran = [started(), begin(1), end(1)];

describe('what has to be done before a resume can help', () => {
  it('is nothing after most ends', () => {
    expect(preconditionOf(stateAfter(...ran, over('limit')))).toBeUndefined();
    expect(preconditionOf(stateAfter(...ran))).toBeUndefined();
    const { phase, ...state } = stateAfter(...ran, over('limit'));
    const end = { reasons: [], at: 'x' };
    expect(preconditionOf({ ...state, phase: { name: 'ended', state: 'stopped', end } })).toBeUndefined();
    expect(phase.name).toBe('ended');
  });

  it('is to free space on a full disk, also where that is not in the record', () => {
    expect(preconditionOf(stateAfter(...ran, over('failure', 'x', 'ENOSPC: no space left')))).toMatch(/space.*disk/);
    expect(preconditionOf(stateAfter(...ran), 'cannot write to the record: the disk is full')).toMatch(/space.*disk/);
    expect(preconditionOf(stateAfter(...ran, over('failure', 'x', 'EIO: broken')))).toBeUndefined();
  });

  it('is to wait for a usage limit, with its end where it is known, or to check the network', () => {
    const hit = (more: object): Draft => ({ type: 'limit-hit', kind: 'usage-limit', message: 'x', ...more });
    const refused = (more: object) =>
      preconditionOf(
        stateAfter(started(), begin(1), hit(more), end(1, { outcome: 'limited' }), over('blocked', WAIT_PATH)),
      );
    expect(refused({ resetsAt: '2026-03-01T09:30:00Z' })).toMatch(/wait until the usage limit ends \(.*09:30.*\)$/);
    expect(refused({})).toMatch(/wait until the usage limit ends$/);
    expect(refused({ kind: 'overload' })).toMatch(/network/);
    expect(preconditionOf(stateAfter(...ran, over('blocked', WAIT_PATH)))).toMatch(/usage limit ends$/);
  });
});

describe('protected files that were changed', () => {
  const guardBroken = { iteration: 1, detail: 'x' };
  const spec = {} as RunSpec;
  const state = (more: Partial<RunState> = {}, ...drafts: readonly Draft[]): RunState => ({
    ...stateAfter(...ran, ...(drafts.length === 0 ? [over('veto')] : drafts)),
    guardBroken,
    ...more,
  });
  const inWorktree = { spec: { worktree: { path: '/w' } } as unknown as RunSpec };

  it('are broken only where the run ended for it', () => {
    expect(hasBrokenGuard(state())).toBe(true);
    expect(hasBrokenGuard(state({}, over('limit')))).toBe(false);
    expect(hasBrokenGuard(state({ guardBroken: undefined }))).toBe(false);
    expect(hasBrokenGuard({ ...stateAfter(...ran), guardBroken })).toBe(false);
  });

  it('can be undone by a command, except in a worktree, where a person restores them first', () => {
    expect([canUndo(state()), canUndo(state({ spec })), canUndo(state(inWorktree))]).toEqual([true, true, false]);
    expect(preconditionOf(state(inWorktree))).toMatch(/protected files/);
    expect(preconditionOf(state())).toBeUndefined();
    expect(preconditionOf(state(inWorktree, over('limit')))).toBeUndefined();
  });

  it('hold a resume up until they are undone', () => {
    const [resume, diff] = nextStepsOf(['pawl resume X', 'pawl diff X'], state());
    expect(resume?.about).toMatch(/after the undo.*protected files/);
    expect(diff?.about).toBeUndefined();
    expect(nextStepsOf(['pawl resume X'], state(inWorktree))[0]?.about).toBeUndefined();
  });
});
