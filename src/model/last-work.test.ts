import { refusedIn } from './phase.js';
import { describe, expect, it } from 'vitest';
import { baseline, begin, type Draft, end, iteration, started, stateAfter, tests } from '../../test/support/record.js';
import { totalSpend } from './spend-account.js';
import { isUnstarted } from './work.js';

const unstarted = { outcome: 'skipped', agentStarted: false } as const;
const hit: Draft = { type: 'limit-hit', kind: 'overload', message: 'busy' };
const red = { tests: tests(1, 2) };

describe('an iteration whose agent was never started', () => {
  it('counts for nothing, is not among the iterations, and what was known before still is', () => {
    const before = stateAfter(started(), baseline(), ...iteration(1, red, { outcome: 'failed', error: 'no' }));
    const after = stateAfter(
      started(),
      baseline(),
      ...iteration(1, red, { outcome: 'failed', error: 'no' }),
      begin(2),
      { type: 'iteration-status', status: 'pre_hooks' },
      end(2, unstarted),
    );
    for (const key of ['iterations', 'history', 'recent', 'streaks', 'tests', 'latest'] as const) {
      expect(after[key]).toEqual(before[key]);
    }
    expect(totalSpend(after.spend)).toEqual(totalSpend(before.spend));
    expect(after).toMatchObject({
      phase: { name: 'resting' },
      factsBefore: undefined,
      unstarted: { iteration: 2, try: 1 },
    });
  });

  it('ends a row of limits, so that tries without an agent are not taken for refusals of the provider', () => {
    const limited = [begin(1), hit, end(1, { outcome: 'limited' })];
    expect(stateAfter(started(), ...limited, ...limited)).toMatchObject({ phase: { refused: { tries: 2 } } });
    const state = stateAfter(started(), ...limited, begin(1, 2), end(1, unstarted));
    expect(state).toMatchObject({ iterations: 0 });
    expect(refusedIn(state.phase)).toBeUndefined();
  });

  it('is told from one that could not be started, which uses its number', () => {
    const ending = { cause: 'not-started', stragglers: 0, survivors: 0 } as const;
    expect(isUnstarted({ agentStarted: false, outcome: 'failed' })).toBe(false);
    expect(isUnstarted({ agentStarted: false, outcome: 'interrupted' })).toBe(true);
    expect(isUnstarted({ agentStarted: true, outcome: 'skipped' })).toBe(false);
    expect(stateAfter(started(), begin(1), end(1, { outcome: 'failed', agentStarted: false, ending })).iterations).toBe(
      1,
    );
  });

  it('because its runner died gives its number back, too, and the death is counted', () => {
    const crash = { type: 'run-resumed', cause: 'crash' } as const;
    const died = { outcome: 'interrupted', interruption: 'crash', agentStarted: false } as const;
    const state = stateAfter(started(), begin(1), crash, end(1, died), begin(1, 2), crash, end(1, died));
    expect(state).toMatchObject({ iterations: 0, recent: [], crashesInARow: 2 });
  });
});
