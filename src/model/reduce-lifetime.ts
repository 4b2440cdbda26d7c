import { lookOf } from './last-look.js';
import { isStoppedBySystem, type Phase, type Refused, refusalsOf, refusedIn, SYSTEM, waitingOf } from './phase.js';
import { letGoOn } from './reduce-pipeline.js';
import type { EventOf } from './run-event.js';
import { NO_STREAKS, type RunState } from './run-state.js';
import { isForPerson, limitLeft, waitEnded, waitStarted } from './wait-policy.js';

type LifetimeEvent = EventOf<
  | 'paused'
  | 'resumed'
  | 'waiting-started'
  | 'waiting-ended'
  | 'reboot-started'
  | 'reboot-completed'
  | 'command-received'
  | 'work-committed'
  | 'run-resumed'
  | 'run-ended'
>;

/** Where the run is in its life. A run that has ended stays ended until it is resumed. */
export function foldLifetime(state: RunState, event: LifetimeEvent): RunState {
  if (event.type === 'run-resumed') return runResumed(state, event);
  if (state.phase.name === 'ended') return state;
  switch (event.type) {
    case 'paused':
      return { ...state, phase: between(state.phase, { name: 'paused' }) };
    case 'resumed':
      return { ...state, phase: between(state.phase, { name: 'resting' }) };
    case 'waiting-started':
      return waitingStarted(state, event);
    case 'waiting-ended':
      return waitingEnded(state, event);
    case 'reboot-started':
      return { ...state, phase: between(state.phase, { name: 'resting', isRebooting: true }) };
    case 'reboot-completed':
      return {
        ...state,
        phase: between(state.phase, { name: 'resting' }),
        reboots: state.reboots + 1,
        session: undefined,
        context: undefined,
        handover: event.handover,
      };
    case 'command-received':
      return event.refused === undefined ? commandReceived(state, event) : state;
    case 'work-committed':
      return workCommitted(state, event);
    case 'run-ended':
      return runEnded(state, event);
    default:
      return event satisfies never;
  }
}

/** Only the end of an iteration ends it. */
function between(
  phase: Phase,
  next: Extract<Phase, { readonly name: 'resting' | 'waiting' | 'paused' }>,
  refused: Refused | undefined = refusedIn(phase),
): Phase {
  return phase.name === 'iterating' ? phase : { ...next, refused };
}

/** An agent asks within its iteration; anything else is waited for between two of them. */
function waitingStarted(state: RunState, event: EventOf<'waiting-started'>): RunState {
  const { phase } = state;
  const { for: what, until, reason, at: since } = event;
  if (what !== 'answer') {
    const refused = waitStarted(refusedIn(phase), event);
    return { ...state, phase: between(phase, { name: 'waiting', for: what, since, until }, refused) };
  }
  const asking = phase.name === 'iterating' ? { ...phase, asking: { since, until } } : phase;
  return { ...state, phase: asking, question: reason };
}

function waitingEnded(state: RunState, { at, reason }: EventOf<'waiting-ended'>): RunState {
  const { phase, waitedMs = 0 } = state;
  const waiting = waitingOf(state);
  const question = reason === 'answered' ? undefined : state.question;
  const next: Phase =
    phase.name === 'iterating'
      ? { ...phase, asking: undefined }
      : between(phase, { name: 'resting' }, waitEnded(phase));
  if (waiting !== undefined && isForPerson(waiting.for)) return { ...state, phase: next, question };
  // A clock that was put back does not make it shorter.
  const lastedMs = Math.max(0, waiting === undefined ? 0 : Date.parse(at) - Date.parse(waiting.since));
  return { ...state, phase: next, question, waitedMs: waitedMs + lastedMs };
}

/** A command that the run has accepted: a request until it has happened. */
function commandReceived(state: RunState, { command, by }: EventOf<'command-received'>): RunState {
  const { requests } = state;
  switch (command.type) {
    case 'stop': {
      const now = command.now === true || requests.stop?.now === true;
      // A person's decision to end the run holds also when the machine shuts down before it has ended.
      const requester = by === SYSTEM ? (requests.stop?.by ?? by) : by;
      return { ...state, requests: { ...requests, stop: { by: requester, now } } };
    }
    case 'pause':
      return { ...state, requests: { ...requests, pause: { by } } };
    case 'resume':
      return { ...state, requests: { ...requests, pause: undefined } };
    case 'reboot':
      return { ...state, requests: { ...requests, reboot: { by } } };
    case 'steer':
      // It is the answer that the agent waits for.
      return waitingOf(state)?.for === 'answer' ? state : steered(state, command.text);
    case 'reject':
      return steered(state, command.text);
    default:
      return state;
  }
}

function steered(state: RunState, text: string): RunState {
  const { phase, requests } = state;
  return {
    ...state,
    requests: { ...requests, steers: [...requests.steers, text] },
    phase: phase.name === 'iterating' ? { ...phase, steersSince: (phase.steersSince ?? 0) + 1 } : phase,
  };
}

function workCommitted(
  state: RunState,
  { iteration, error: problem, commit, commits = 1 }: EventOf<'work-committed'>,
): RunState {
  const { made = 0, iteration: last } = state.commits ?? {};
  if (problem === undefined) return { ...state, commits: { made: made + commits, iteration } };
  return {
    ...state,
    commits: { made, iteration: last, problem, ...(commit === undefined ? {} : { isUnpushed: true }) },
  };
}

/** A pause is over with the run, unless only the machine shuts down. One that never came is kept for the report. */
function runEnded(
  state: RunState,
  { state: ending, class: stopClass, reasons, error, at }: EventOf<'run-ended'>,
): RunState {
  const { phase, requests } = state;
  const end = { class: stopClass, reasons, error, at };
  const ended = { name: 'ended', state: ending, refused: refusedIn(phase) } as const;
  const kept = { ...requests, reboot: undefined };
  if (isStoppedBySystem(end, requests.stop))
    return { ...state, hook: undefined, requests: kept, phase: { ...ended, end } };
  const isMissed = requests.pause !== undefined && phase.name !== 'paused' && requests.stop === undefined;
  return {
    ...state,
    hook: undefined,
    requests: { ...kept, pause: undefined },
    phase: { ...ended, end: isMissed ? { ...end, pauseAsked: requests.pause } : end },
  };
}

/** A crash carries everything over. A person's resume forgives streaks and old facts, never limits. */
function runResumed(before: RunState, event: EventOf<'run-resumed'>): RunState {
  const { cause, at } = event;
  const state = withChange(before, event);
  const { phase, requests } = state;
  const resumed: RunState = { ...state, ...sessionAfterRestart(state), hook: undefined };
  // Nothing died: the process that had it has left it between two iterations.
  if (cause === 'moved' && phase.name !== 'ended') return resumed;
  if (cause !== 'operator') {
    const crashesInARow = state.crashesInARow + (cause === 'crash' ? 1 : 0);
    return { ...resumed, phase: restarted(phase, refusedIn(phase)), crashesInARow };
  }
  const { latest, refused } = limitLeft(state, at);
  return {
    ...resumed,
    phase: restarted(phase, refused),
    requests: { ...requests, stop: undefined },
    streaks: NO_STREAKS,
    holds: {},
    verdict: undefined,
    blockedByHook: undefined,
    blockedReport: undefined,
    lastLook: lookOf(state, state.latest.observation),
    latest,
    // A resume accepts the files as they are, except for changes that were not observed or that were vetoed.
    ...(state.unguarded === true && state.guard !== undefined
      ? {}
      : { guard: undefined, unguarded: undefined, guardBroken: undefined }),
    context: undefined,
    crashesInARow: 0,
    pipeline: state.pipeline === undefined ? undefined : letGoOn(state.pipeline),
  };
}

/** An iteration that was cut short is still to be ended; its question stays unanswered. */
function restarted(phase: Phase, refused: Refused | undefined): Phase {
  if (phase.name === 'iterating') return { ...phase, asking: undefined, refusals: refusalsOf(refused) };
  return { name: 'starting', refused };
}

/** The rules of the conditions stay those that the run was started with, unless the user asks for others. */
function withChange(before: RunState, { spec, policy, seal, rules }: EventOf<'run-resumed'>): RunState {
  const state = rules === undefined ? before : { ...before, rules };
  if (spec === undefined) return state;
  const agent = state.agent === undefined ? undefined : { ...state.agent, model: spec.agent.model };
  return { ...state, spec, policy: policy ?? spec.policy, agent, seal };
}

/** A session that is not to persist does not outlive the process that opened it. */
function sessionAfterRestart({ spec }: RunState): Partial<RunState> {
  return spec?.session.persist === false ? { session: undefined, context: undefined } : {};
}
