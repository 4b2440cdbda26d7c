import { lookOf } from './last-look.js';
import { letGoOn } from './reduce-pipeline.js';
import type { EventOf } from './run-event.js';
import { NO_FACTS, NO_STREAKS, type RunState } from './run-state.js';
import { isStoppedBySystem } from './stopped-by-system.js';

/** What does not outlive a run that has ended. */
const OVER = { rebootAsked: undefined, open: undefined, hook: undefined } as const;

/** A pause is over with the run, unless only the machine goes down. One that never came is kept for the report. */
export function runEnded(
  state: RunState,
  { state: status, class: stopClass, reasons, error, at }: EventOf<'run-ended'>,
): RunState {
  const { operatorStop, pauseAsked } = state;
  const ended = { class: stopClass, reasons, error, at };
  if (isStoppedBySystem({ ended, operatorStop })) return { ...state, ...OVER, status, ended };
  const isMissed = pauseAsked !== undefined && state.status !== 'paused' && operatorStop === undefined;
  return { ...state, ...OVER, status, ended: isMissed ? { ...ended, pauseAsked } : ended, pauseAsked: undefined };
}

/** A crash carries everything over. An operator's resume forgives streaks and old facts, never limits. */
export function runResumed(before: RunState, event: EventOf<'run-resumed'>): RunState {
  const { cause, at } = event;
  const state = withChange(before, event);
  const going: RunState = {
    ...state,
    ...sessionAfterRestart(state),
    status: 'running',
    ended: undefined,
    hook: undefined,
  };
  // Nobody died: whoever had it has left it between two iterations.
  if (cause === 'moved') return { ...going, status: state.status };
  if (cause === 'crash') return { ...going, crashesInARow: state.crashesInARow + 1 };
  return {
    ...going,
    streaks: NO_STREAKS,
    holds: {},
    verdict: undefined,
    operatorStop: undefined,
    blockedByHook: undefined,
    blockedReport: undefined,
    lastLook: lookOf(state, state.latest.observation),
    ...limitLeft(state, at),
    // A resume accepts what lies there, but not changes that nobody has seen or that were vetoed.
    ...(state.unguarded === true && state.guard !== undefined
      ? {}
      : { guard: undefined, unguarded: undefined, guardBroken: undefined }),
    limitWait: undefined,
    context: undefined,
    crashesInARow: 0,
    pipeline: state.pipeline === undefined ? undefined : letGoOn(state.pipeline),
  };
}

function withChange(state: RunState, { spec, policy, seal }: EventOf<'run-resumed'>): RunState {
  if (spec === undefined) return state;
  const agent = state.agent === undefined ? undefined : { ...state.agent, model: spec.agent.model };
  return { ...state, spec, policy: policy ?? spec.policy, agent, seal };
}

/** A session that is not to persist does not outlive the process that opened it. */
function sessionAfterRestart({ spec }: RunState): Partial<RunState> {
  return spec?.session.persist === false ? { session: undefined, context: undefined } : {};
}

/**
 * A limit of the provider's that is known to hold on: another try before would only be refused, and paid for. One that is
 * not waited for is tried all the same, because whoever resumes may have seen to it.
 */
function limitLeft({ latest, limitedSince, spec }: RunState, at: string): Partial<RunState> {
  const { limitHit } = latest;
  const leftMs = Date.parse(limitHit?.resetsAt ?? '') - Date.parse(at);
  const isKept = limitedSince !== undefined && leftMs > 0 && leftMs <= (spec?.maxWaitMs ?? Number.POSITIVE_INFINITY);
  if (!isKept) return { latest: NO_FACTS, limitedSince: undefined, limitedTries: undefined };
  return { latest: { ...NO_FACTS, limitHit }, limitedSince: at, limitedTries: 1 };
}
