import type { RunState } from '../model/run-state.js';

const FIRST_BACKOFF_MS = 30_000;
const LONGEST_BACKOFF_MS = 900_000;
/** The provider's clock and ours differ. */
const MARGIN_MS = 2000;
/** No Date is later. */
const LAST_TIME_MS = 8.64e15;

export interface Wait {
  readonly for: 'usage-limit' | 'overload';
  readonly until: string;
  readonly reason: string;
}

/**
 * What the run has to wait for after a limited iteration: its reset time, or longer each time. Where no reset was told, the
 * last wait is what is left of `max_wait`, and so is the last try.
 */
export function waitOf(state: RunState, nowMs: number, random = Math.random): Wait | undefined {
  if (state.limitedSince === undefined) return undefined;
  const { limitHit } = state.latest;
  const facts = {
    for: limitHit?.kind === 'overload' ? 'overload' : 'usage-limit',
    reason: limitHit?.message ?? 'the provider lets nothing through',
  } as const;
  // A wait that a restart interrupted goes on as it was.
  const pending = pendingUntil(state, nowMs);
  if (pending !== undefined) return Date.parse(pending) > nowMs ? { ...facts, until: pending } : undefined;
  const resetMs = Date.parse(limitHit?.resetsAt ?? '');
  const backoffMs =
    Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** ((state.limitedTries ?? 1) - 1)) * (0.75 + random() / 2);
  const lastMs = Date.parse(state.limitedSince) + (state.spec?.maxWaitMs ?? Number.POSITIVE_INFINITY);
  const untilMs =
    resetMs > nowMs
      ? Math.min(resetMs + MARGIN_MS, LAST_TIME_MS)
      : Math.max(nowMs, Math.min(nowMs + backoffMs, lastMs));
  return { ...facts, until: new Date(untilMs).toISOString() };
}

/** Where the clock has gone back behind the beginning of the wait, nobody knows what is left: no more than all of it. */
function pendingUntil({ waiting }: RunState, nowMs: number): string | undefined {
  const sinceMs = Date.parse(waiting?.since ?? '');
  const wholeMs = Date.parse(waiting?.until ?? '') - sinceMs;
  return nowMs < sinceMs && wholeMs > 0 ? new Date(nowMs + wholeMs).toISOString() : waiting?.until;
}
