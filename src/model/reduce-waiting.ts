import type { EventOf } from './run-event.js';
import type { RunState } from './run-state.js';

/** What the run waits for, and whether the wait after a refused try is over. */
export function foldWaiting(state: RunState, event: EventOf<'waiting-started' | 'waiting-ended'>): RunState {
  if (event.type === 'waiting-ended') {
    return {
      ...state,
      status: 'running',
      ...(isForPerson(state.waiting) ? {} : { limitWait: waitOver(state), waitedMs: waitedUntil(event.at, state) }),
      question: event.reason === 'answered' ? undefined : state.question,
    };
  }
  const { for: cause, until, reason, at: since } = event;
  const waiting = { for: cause, until, since };
  return {
    ...state,
    status: 'waiting',
    waiting,
    limitWait: isForPerson(waiting) ? state.limitWait : { since, until },
    question: cause === 'answer' ? reason : state.question,
  };
}

/** A clock that was put back does not make it shorter. */
function waitedUntil(at: string, { waiting, waitedMs = 0 }: RunState): number {
  return waitedMs + Math.max(0, waiting === undefined ? 0 : Date.parse(at) - Date.parse(waiting.since));
}

function isForPerson(waiting: RunState['waiting']): boolean {
  return waiting?.for === 'approval' || waiting?.for === 'answer';
}

export function waitOver({ limitWait, at = '' }: RunState): RunState['limitWait'] {
  return { since: at, ...limitWait, isOver: true };
}

/** What the agent says of its own work. That it is blocked is for a person, also when the run continues. */
export function claimMade(state: RunState, { claim, evidence }: EventOf<'claim-made'>): RunState {
  const latest = { ...state.latest, claims: { ...state.latest.claims, [claim]: evidence } };
  const iteration = state.open?.iteration ?? state.iterations;
  return { ...state, latest, blockedReport: claim === 'blocked' ? { iteration, evidence } : undefined };
}
