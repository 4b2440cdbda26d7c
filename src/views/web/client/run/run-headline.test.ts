import { describe, expect, it } from 'vitest';
import { INITIAL_STATE, type RunState } from '../../../../model/run-state.js';
import { NOTHING_VIEWED } from '../../wire/run-view.js';
import { askedOf, runHeadline } from './run-headline.js';

function viewed(status: string, part: Partial<RunState>, isLive = true) {
  const view = { ...NOTHING_VIEWED, state: { ...INITIAL_STATE, ...part } };
  return { runId: 'r', view, isLive, status, project: '', workingDir: '', folder: '', policyText: '' };
}

describe('the headline of a run', () => {
  it('does not say its status once more', () => {
    const paused = viewed('paused', {
      phase: { name: 'paused' },
      requests: { pause: { by: 'the dashboard' }, steers: [] },
    });
    expect(runHeadline(paused, 0)).toBe('requested by the dashboard');
    expect(askedOf(paused)).toEqual(['requested by the dashboard']);
    expect(runHeadline(viewed('paused', { phase: { name: 'paused' }, iterations: 3 }), 0)).toBe('before iteration 4');
    const waiting = viewed('waiting', { phase: { name: 'waiting', for: 'usage-limit', since: '' } });
    expect(runHeadline(waiting, 0)).toBe('for the usage limit');
  });

  it('of one that nobody runs says so', () => {
    expect(runHeadline(viewed('interrupted', { phase: { name: 'resting' } }, false), 0)).toMatch(
      /^Interrupted .*Pawl process is gone/,
    );
  });
});
