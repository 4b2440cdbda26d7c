import type { EventBodies } from '../model/run-event.js';
import type { Interrupt } from './stop-signal.js';
import { outcomeOf } from './outcome.js';

const NOT_STARTED = { agentStarted: false, durationMs: 0, observation: {} } as const;

/** The end of an iteration before its agent was started: nobody wants it any more, or something `held` it back. */
export function unstartedIteration(
  iteration: number,
  why: Interrupt | { readonly held: string },
): EventBodies['iteration-ended'] {
  if (typeof why === 'object') return { ...NOT_STARTED, iteration, outcome: 'skipped', error: why.held };
  const end = { cause: 'aborted', stragglers: 0, survivors: 0 } as const;
  const outcome = outcomeOf({ end, interrupt: why, tellsResult: false, timeoutMs: 0, idleTimeoutMs: 0 });
  return { ...NOT_STARTED, iteration, ...outcome };
}
