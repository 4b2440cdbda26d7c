/**
 * How Pawl waits for a provider: what counts as a refusal, how long a wait is, when it is over, when it is too long, and
 * what is left of it after a resume. Nothing else decides any of this.
 */
import { formatDuration, utcText } from './duration.js';
import { isNotReached } from './not-reached.js';
import { type CurrentWait, type Iterating, type Phase, type Refusals, type Refused, refusedIn } from './phase.js';
import type { AttemptOutcome, EventOf, IterationOutcome, WaitingFor } from './run-event.js';
import { type LatestFacts, NO_FACTS, type RunState } from './run-state.js';

/** The longest wait where the config says nothing. */
export const DEFAULT_MAX_WAIT = '6h';

const FIRST_BACKOFF_MS = 30_000;
/** With what chance adds, 15 minutes at most. */
const LONGEST_BACKOFF_MS = 720_000;
/** A provider that names a reset again and again and still refuses is not asked every few seconds. */
const TRUSTED_RESETS = 9;
/** The provider's clock and ours differ. */
const MARGIN_MS = 2000;
/** No Date is later. */
const LAST_TIME_MS = 8.64e15;

/** The path of the reason that ends a run which would wait for too long. */
export const WAIT_PATH = 'max_wait';

const UNEXPLAINED = 'the provider rejects every request';

export interface Wait {
  readonly for: 'usage-limit' | 'overload';
  readonly until: string;
  readonly reason: string;
}

/** One that the provider did not let through. It uses nothing up and is tried again. */
export function isRefusal(outcome: IterationOutcome | AttemptOutcome): boolean {
  return outcome === 'limited';
}

/** An iteration that was not refused ends the row, also one whose agent was never started. */
export function refusedAfter(
  before: Refusals | undefined,
  { outcome, at }: EventOf<'iteration-ended'>,
): Refused | undefined {
  if (!isRefusal(outcome)) return undefined;
  return { since: before?.since ?? at, lastAt: at, tries: (before?.tries ?? 0) + 1, wait: 'due' };
}

/** The same for a review that could not be made. */
export function refusedAfterReview(before: Refusals | undefined, { at }: EventOf<'review-ended'>): Refused {
  return { since: before?.since ?? at, lastAt: at, tries: (before?.tries ?? 0) + 1, wait: 'due' };
}

/**
 * The same for an attempt. Attempts that ran at the same time were refused together: that was one try. One that was
 * interrupted shows nothing of the provider, and one that started before a refusal nothing of what followed it.
 */
export function refusedAfterAttempt(
  now: Refused | undefined,
  attempt: Iterating | undefined,
  { outcome, at }: EventOf<'attempt-ended'>,
): Refused | undefined {
  if (outcome === 'interrupted') return now;
  if (!isRefusal(outcome)) return now && attempt && refusedSince(now, attempt);
  const { since, tries } = now ?? { since: at, tries: 0 };
  const before = attempt === undefined ? tries : (attempt.refusals?.tries ?? 0);
  return { since, lastAt: at, tries: Math.max(tries, before + 1), wait: 'due' };
}

/** What is left of a row of refusals after an attempt that the provider let through. */
function refusedSince(now: Refused, { startedAt }: Iterating): Refused | undefined {
  const { since, lastAt = since } = now;
  const startedMs = Date.parse(startedAt);
  if (startedMs > Date.parse(lastAt)) return undefined;
  return startedMs > Date.parse(since) ? { ...now, since: startedAt } : now;
}

/** The wait has started. One that is over stays over. */
export function waitStarted(
  refused: Refused | undefined,
  { for: what, at: since, until }: EventOf<'waiting-started'>,
): Refused | undefined {
  return isForPerson(what) || refused?.wait === 'over' ? refused : refused && { ...refused, wait: { since, until } };
}

/** The wait of this phase has ended; another refusal meanwhile has its own. */
export function waitEnded(phase: Phase): Refused | undefined {
  const refused = refusedIn(phase);
  const isWaiting = phase.name === 'waiting';
  if (isWaiting && (isForPerson(phase.for) || refused?.wait === 'due')) return refused;
  return refused && { ...refused, wait: 'over' };
}

/** What a wait that ends now adds to `waitedMs`: nothing if it was for a person or the clock was set back. */
export function countedWaitMs(wait: CurrentWait | undefined, at: string): number | undefined {
  if (wait === undefined) return 0;
  return isForPerson(wait.for) ? undefined : Math.max(0, Date.parse(at) - Date.parse(wait.since));
}

/** The wait after a refusal takes the place of the delay between iterations. */
export function isWithoutDelay({ phase }: Pick<RunState, 'phase'>): boolean {
  return refusedIn(phase) !== undefined;
}

export function isForPerson(what: WaitingFor): boolean {
  return what === 'approval' || what === 'answer' || what === 'person';
}

/** Nothing starts before the provider is waited for. */
export function isWaitDue({ phase }: Pick<RunState, 'phase'>): boolean {
  return (refusedIn(phase)?.wait ?? 'over') !== 'over';
}

/**
 * What the run waits for after a refused try: the reset time of the limit, or a time that grows with each try. Without a
 * reset time, the last wait is what is left of `max_wait`, and the try after it is the last. `until` may have passed.
 */
export function nextWait(state: RunState, nowMs: number, random: () => number): Wait | undefined {
  const refused = refusedIn(state.phase);
  if (refused === undefined || refused.wait === 'over') return undefined;
  const { limitHit } = state.latest;
  const facts = {
    for: limitHit?.kind === 'overload' ? 'overload' : 'usage-limit',
    reason: limitHit?.message ?? UNEXPLAINED,
  } as const;
  // A wait that a restart interrupted continues as it was.
  const until = refused.wait === 'due' ? undefined : untilAt(refused.wait, nowMs);
  return { ...facts, until: until ?? newUntil(refused, state, nowMs, random) };
}

function longestWaitMs(spec: RunState['spec']): number {
  return spec?.maxWaitMs ?? Number.POSITIVE_INFINITY;
}

function newUntil({ since, tries }: Refusals, { latest, spec }: RunState, nowMs: number, random: () => number): string {
  const resetMs = Date.parse(latest.limitHit?.resetsAt ?? '');
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1)) * (0.75 + random() / 2);
  const lastMs = Date.parse(since) + longestWaitMs(spec);
  const retryMs = Math.max(nowMs, Math.min(nowMs + backoffMs, lastMs));
  const openMs = resetMs > nowMs ? Math.min(resetMs + MARGIN_MS, LAST_TIME_MS) : retryMs;
  return new Date(tries > TRUSTED_RESETS ? Math.max(openMs, retryMs) : openMs).toISOString();
}

/** If the clock has gone back to before the wait started, what is left is unknown: no more than all of it. */
export function untilAt({ since, until }: Exclude<Refused['wait'], string>, nowMs: number): string | undefined {
  const sinceMs = Date.parse(since);
  const wholeMs = Date.parse(until ?? '') - sinceMs;
  return nowMs < sinceMs && wholeMs > 0 ? new Date(nowMs + wholeMs).toISOString() : until;
}

/** Why the provider is not waited for any longer. Without a reset time, tries are made until `max_wait` is over. */
export function waitTooLong(state: RunState): string | undefined {
  const { phase, spec, latest, review } = state;
  const refused = refusedIn(phase);
  const since = Date.parse(refused?.since ?? '');
  if (Number.isNaN(since)) return undefined;
  const { limitHit } = latest;
  const said = limitHit?.message ?? UNEXPLAINED;
  const longestMs = longestWaitMs(spec);
  const isOverload = limitHit?.kind === 'overload';
  const resetMs = Date.parse(limitHit?.resetsAt ?? '');
  const longest = `max_wait (${formatDuration(longestMs)})`;
  if (resetMs - since > longestMs) {
    const what = isOverload ? 'overload' : 'usage limit';
    return `the ${what} ends at ${utcText(resetMs)}, later than ${longest} allows: ${said}`;
  }
  // To the last try: what passed since then, a wait or a night without power, says nothing of the limit.
  const isOfReview = review?.problem !== undefined;
  const lastMs = Date.parse((isOfReview ? refused?.lastAt : state.recent.at(-1)?.endedAt) ?? '');
  const lastedMs = Number.isNaN(lastMs) ? 0 : lastMs - since;
  if (lastedMs < longestMs) return undefined;
  if (isOfReview) return `no review for ${formatDuration(longestMs)} (the max_wait limit): ${said}`;
  return `${lastsText(isOverload, said)} for ${formatDuration(longestMs)} (the max_wait limit): ${said}`;
}

function lastsText(isOverload: boolean, said: string): string {
  if (!isOverload) return 'the usage limit lasted';
  return isNotReached(said)
    ? 'the agent could not reach its provider'
    : 'the provider was overloaded or Pawl could not reach it';
}

/**
 * What is left of a limit when a person resumes the run. If it is known to last, another try before its end would only be
 * refused, and paid for. One that is not waited for is tried all the same: the person may have solved it.
 */
export function limitLeft(
  { latest, phase, spec }: RunState,
  at: string,
): { readonly latest: LatestFacts; readonly refused?: Refused | undefined } {
  const { limitHit } = latest;
  const leftMs = Date.parse(limitHit?.resetsAt ?? '') - Date.parse(at);
  const isRefused = refusedIn(phase) !== undefined;
  const isKept = isRefused && leftMs > 0 && leftMs <= longestWaitMs(spec);
  return isKept
    ? { latest: { ...NO_FACTS, limitHit }, refused: { since: at, lastAt: at, tries: 1, wait: 'due' } }
    : { latest: NO_FACTS };
}
