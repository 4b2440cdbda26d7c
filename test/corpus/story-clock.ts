import { waitingOf } from '../../src/model/phase.js';
import { vi } from 'vitest';
import { INITIAL_STATE, type RunState } from '../../src/model/run-state.js';
import { type ManualClock, manualClock } from '../../src/testing/manual-clock.js';

/**
 * A clock for a run of the real loop: nothing waits. Time passes when the story says so, and at once where the run waits
 * for the provider. Chance always falls in the middle, so that a backoff is the same every time.
 */
export async function byStoryClock<T>(
  start: string,
  stateOf: () => RunState | undefined,
  play: (clock: ManualClock) => Promise<T>,
): Promise<T> {
  const clock = manualClock(start);
  const later = globalThis.setTimeout;
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => clock.now()),
    vi.spyOn(Math, 'random').mockReturnValue(0.5),
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((act: () => void, durationMs = 0) => {
      const waiting = waitingOf(stateOf() ?? INITIAL_STATE);
      if (waiting?.until === undefined) return later(act, durationMs);
      const untilMs = Date.parse(waiting.until);
      return later(() => {
        clock.set(Math.max(clock.now(), untilMs));
        act();
      }, 0);
    }),
  ];
  try {
    return await play(clock);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
