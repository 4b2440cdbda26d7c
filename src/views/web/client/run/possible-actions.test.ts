import { describe, expect, it } from 'vitest';
import { INITIAL_STATE, type RunState } from '../../../../model/run-state.js';
import type { ViewedRun } from '../../wire/api.js';
import { NOTHING_VIEWED } from '../../wire/run-view.js';
import { possibleActions } from './possible-actions.js';

function actionsOf(part: Partial<RunState>, isLive = true): Readonly<Record<string, boolean>> {
  const view = { ...NOTHING_VIEWED, state: { ...INITIAL_STATE, status: 'running', ...part } as RunState };
  const viewed: ViewedRun = {
    runId: 'r',
    view,
    isLive,
    status: 'running',
    project: '',
    workingDir: '',
    folder: '',
    policyText: '',
  };
  return Object.fromEntries(possibleActions(viewed));
}

describe('what can be asked of a run', () => {
  it('that was asked to stop is not to pause, and can still be stopped at once', () => {
    expect(actionsOf({})).toMatchObject({ pause: true, stop: true });
    const asked = actionsOf({ requests: { stop: { by: 'me', now: false }, steers: [] } });
    expect(asked).toMatchObject({ pause: false, stop: false, 'stop-now': true });
  });

  it('that has ended is nothing', () => {
    expect(actionsOf({}, false)).toEqual({});
    expect(actionsOf({ phase: { name: 'ended', state: 'stopped', end: { reasons: [], at: '' } } })).toEqual({});
  });
});
