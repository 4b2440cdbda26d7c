import { lastResults } from './work.js';
import { isStoppedBySystem, type Phase, type Refused, refusalsOf, refusedIn, SYSTEM, waitingOf } from './phase.js';
import { type Reducers, unlessEnded } from './reducers.js';
import {
  answerDelivered,
  openQuestions,
  personWaitEnded,
  personWaitStarted,
  questionAnswered,
  questionAsked,
  questionsAfterResume,
} from './questions.js';
import { withPatience } from './reduce-goals.js';
import { reviewAfterResume, withUserWords } from './reduce-review.js';
import { acceptSeen } from './reduce-pipeline.js';
import type { EventOf } from './run-event.js';
import { NO_STREAKS, type RunState } from './run-state.js';
import { countedWaitMs, limitLeft, waitEnded, waitStarted } from './wait-policy.js';
import { CONDITION_CATALOG, isSharedLimit, limitOf } from './condition-catalog.js';
import { withLimit } from './policy.js';
import { acceptUnknown, totalSpend } from './spend-account.js';

/** Where the run is in its life. A run that has ended stays ended until it is resumed. */
export const LIFETIME_REDUCERS = {
  paused: unlessEnded((state) => ({ ...state, phase: between(state.phase, { name: 'paused' }) })),
  resumed: unlessEnded((state) => ({ ...state, phase: between(state.phase, { name: 'resting' }) })),
  'waiting-started': unlessEnded(waitingStarted),
  'waiting-ended': unlessEnded(waitingEnded),
  'reboot-started': unlessEnded((state) => ({
    ...state,
    phase: between(state.phase, { name: 'resting', isRebooting: true }),
  })),
  'reboot-completed': unlessEnded((state, { handover }) => ({
    ...state,
    phase: between(state.phase, { name: 'resting' }),
    reboots: state.reboots + 1,
    session: undefined,
    context: undefined,
    handover,
  })),
  'command-received': commandReceived,
  'tests-accepted': unlessEnded(testsAccepted),
  'work-committed': unlessEnded(workCommitted),
  'question-asked': questionAsked,
  'answer-delivered': answerDelivered,
  'run-resumed': runResumed,
  'run-ended': unlessEnded(runEnded),
} satisfies Partial<Reducers>;

/** The work of the last iteration is judged again, by the tests as they are now. */
function testsAccepted(state: RunState, { observation }: EventOf<'tests-accepted'>): RunState {
  const { tests, tree, kept } = observation;
  const { original: _refused, ...seen } = state.latest.observation;
  const known = Object.fromEntries(Object.entries(observation).filter(([, value]) => value !== undefined));
  return {
    ...state,
    accepted: { tests, tree, kept, iteration: state.iterations },
    originals: undefined,
    latest: { ...state.latest, observation: { ...seen, ...known } },
  };
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
  const { for: what, until, reason, choices, at: since } = event;
  if (what !== 'answer') {
    const refused = waitStarted(refusedIn(phase), event);
    const waiting = { ...state, phase: between(phase, { name: 'waiting', for: what, since, until }, refused) };
    return what === 'person' ? { ...waiting, ...personWaitStarted(state, event) } : waiting;
  }
  const asking = phase.name === 'iterating' ? { ...phase, asking: { since, until } } : phase;
  return { ...state, phase: asking, question: reason, questionChoices: choices };
}

function waitingEnded(state: RunState, { at, reason }: EventOf<'waiting-ended'>): RunState {
  const { phase, waitedMs = 0 } = state;
  const lastedMs = countedWaitMs(waitingOf(state), at);
  const question = reason === 'answered' ? undefined : state.question;
  const next: Phase =
    phase.name === 'iterating'
      ? { ...phase, asking: undefined }
      : between(phase, { name: 'resting' }, waitEnded(phase));
  const counted = lastedMs === undefined ? {} : { waitedMs: waitedMs + lastedMs };
  const isForAnswer = phase.name === 'waiting' && phase.for === 'person';
  const questionChoices = question === undefined ? undefined : state.questionChoices;
  return {
    ...state,
    phase: next,
    question,
    questionChoices,
    ...counted,
    ...(isForAnswer ? personWaitEnded(state) : {}),
  };
}

/** A command that the run has accepted: a request until it has happened. */
function commandReceived(state: RunState, { command, by, refused }: EventOf<'command-received'>): RunState {
  if (refused !== undefined) return state;
  // A person can also answer a run that has ended, before it is resumed.
  if (command.type === 'answer') {
    const asked = openQuestions(state).find(({ id }) => id === command.question);
    const heard = asked === undefined ? state : withUserWords(state, `${asked.text}\n${command.text}`);
    return questionAnswered(heard, command.question ?? '', { text: command.text, by });
  }
  const { phase, requests } = state;
  if (phase.name === 'ended') return state;
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

function steered(before: RunState, text: string): RunState {
  const state = withUserWords(before, text);
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
  const resumed: RunState = { ...state, ...sessionAfterRestart(state), ...withoutOpenReview(state), hook: undefined };
  // Nothing died: the process that had it has left it between two iterations.
  if (cause === 'moved' && phase.name !== 'ended') return resumed;
  if (cause !== 'operator') {
    const crashesInARow = state.crashesInARow + (cause === 'crash' ? 1 : 0);
    return { ...resumed, phase: restarted(phase, refusedIn(phase)), crashesInARow };
  }
  const { latest, refused } = limitLeft(state, at);
  // Where only the reviewer was missing, the work is reviewed before anything else is paid for.
  const isReviewLeft = state.review?.problem?.cause === 'goal';
  return {
    ...resumed,
    phase: restarted(phase, refused),
    requests: { ...requests, stop: undefined },
    streaks: NO_STREAKS,
    ...questionsAfterResume(state),
    holds: {},
    verdict: undefined,
    blockedByHook: undefined,
    blockedReport: undefined,
    originals: undefined,
    ...withPatience(state.metrics),
    ...(state.review === undefined ? {} : { review: reviewAfterResume(state.review) }),
    lastLook: lastResults(state, state.latest.observation),
    latest: isReviewLeft ? { ...state.latest, limitHit: latest.limitHit } : latest,
    // A resume accepts the files as they are, except for changes that were not observed or that were vetoed.
    ...(state.unguarded === true && state.guard !== undefined
      ? {}
      : { guard: undefined, unguarded: undefined, guardBroken: undefined }),
    context: undefined,
    crashesInARow: 0,
    pipeline: state.pipeline === undefined ? undefined : acceptSeen(state.pipeline),
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

/** It died with its process, and is asked again. */
function withoutOpenReview({ review }: RunState): Pick<RunState, 'review'> {
  return review?.open === undefined ? {} : { review: { ...review, open: undefined } };
}

/** A session that is not to persist does not outlive the process that opened it. */
function sessionAfterRestart({ spec }: RunState): Partial<RunState> {
  return spec?.session.persist === false ? { session: undefined, context: undefined } : {};
}

/** What may be spent, by this run alone or together with others. */
export const BUDGET_REDUCERS = {
  'day-spend-seen': daySpendSeen,
  'batch-spend-seen': (state, { batch, othersUsd, dearestUsd, problem }) => ({
    ...state,
    batch: { batch, othersUsd, dearestUsd, problem },
  }),
  'limit-extended': limitExtended,
} satisfies Partial<Reducers>;

/** A run that continues on another day begins it with nothing spent. */
function daySpendSeen(state: RunState, { day, othersUsd, problem }: EventOf<'day-spend-seen'>): RunState {
  const before = state.day === undefined ? 0 : totalSpend(state.spend).costUsd;
  const ownBeforeUsd = state.day?.day === day ? state.day.ownBeforeUsd : before;
  return { ...state, day: { day, othersUsd, problem, ownBeforeUsd } };
}

function limitExtended(state: RunState, { limit }: EventOf<'limit-extended'>): RunState {
  const policy = withLimit(state.policy, limit);
  // What all runs share is accepted by who sets that very limit, not by the way.
  const isShared = [...policy.limits, ...(policy.conditions ?? [])].some(isSharedLimit);
  const isBudget = !isShared && CONDITION_CATALOG[limit.type].spend === true;
  const accepts = isBudget || limitOf(limit)?.quantity === 'dayCostUsd';
  return { ...state, policy, spend: accepts ? acceptUnknown(state.spend) : state.spend };
}

/** What a run has spent on a day; undefined when it is unknown. */
export function ownDaySpend({ day: known, spend }: RunState, day: string): number | undefined {
  const total = totalSpend(spend).costUsd;
  const before = known?.day === day ? known.ownBeforeUsd : known === undefined ? 0 : total;
  return total === undefined || before === undefined ? undefined : Math.max(0, total - before);
}
