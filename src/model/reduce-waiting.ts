import type { EventOf } from './run-event.js';
import type { RunState } from './run-state.js';

/** What the run waits for, and whether the wait after a refused try is over. */
export function foldWaiting(state: RunState, event: EventOf<'waiting-started' | 'waiting-ended'>): RunState {
  if (event.type === 'waiting-ended') {
    return { ...state, status: 'running', limitWait: isForPerson(state.waiting) ? state.limitWait : waitOver(state) };
  }
  const { for: cause, until, at: since } = event;
  const waiting = { for: cause, until, since };
  return { ...state, status: 'waiting', waiting, limitWait: isForPerson(waiting) ? state.limitWait : { since, until } };
}

function isForPerson(waiting: RunState['waiting']): boolean {
  return waiting?.for === 'approval' || waiting?.for === 'answer';
}

export function waitOver({ limitWait, at = '' }: RunState): RunState['limitWait'] {
  return { since: at, ...limitWait, isOver: true };
}
