import { canResume } from '../../../../model/loop-state.js';
import { endOf, isEnding, loopStateOf, openIteration, waitingOf } from '../../../../model/phase.js';
import type { ViewedRun } from '../../wire/api.js';

export type Action =
  | 'approve'
  | 'reject'
  | 'pause'
  | 'unpause'
  | 'stop'
  | 'stop-now'
  | 'skip'
  | 'reboot'
  | 'steer'
  | 'extend';

/** What is asked of a loop and cannot be of a pipeline, which has no session. */
const OF_LOOPS: ReadonlySet<Action> = new Set(['approve', 'reject', 'skip', 'reboot', 'steer']);

/** The buttons that a live run has, and which of them make sense now. What is refused nevertheless, the server says in words. */
export function possibleActions({ view, isLive }: ViewedRun): readonly (readonly [Action, boolean])[] {
  const { state } = view;
  if (!isLive || endOf(state) !== undefined) return [];
  const waiting = waitingOf(state)?.for;
  const isAsking = waiting === 'approval';
  // The answer itself ends it: the page has a form for it.
  const needsAnswer = waiting === 'answer' || waiting === 'person';
  const isHeld = canResume(loopStateOf(state)) || state.requests.pause !== undefined;
  const isFree = !isEnding(state);
  const isStopAsked = state.requests.stop !== undefined;
  const all: readonly (readonly [Action, boolean])[] = [
    ...(isAsking
      ? ([
          ['approve', isFree],
          ['reject', isFree],
        ] as const)
      : []),
    isHeld && !isAsking && !needsAnswer
      ? ['unpause', isFree]
      : ['pause', isFree && !isAsking && !needsAnswer && !isStopAsked],
    ['steer', isFree],
    ['extend', true],
    ['skip', isFree && openIteration(state) !== undefined],
    ['reboot', isFree],
    ['stop', isFree && !isStopAsked],
    ['stop-now', true],
  ];
  return all.filter(([action]) => state.pipeline === undefined || !OF_LOOPS.has(action));
}
