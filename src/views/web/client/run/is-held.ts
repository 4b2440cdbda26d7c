import { waitingOf } from '../../../../model/phase.js';
import type { RunState } from '../../../../model/run-state.js';
import { isForPerson } from '../../../../model/wait-policy.js';

/** Nothing continues before someone says so: what is to come cannot be foretold. */
export function isHeld(state: RunState): boolean {
  const waiting = waitingOf(state);
  return state.phase.name === 'paused' || (waiting !== undefined && isForPerson(waiting.for));
}
