import type { RunState } from '../model/run-state.js';

const FIRST_BACKOFF_MS = 30_000;
/** With what chance adds, 15 minutes at most. */
const LONGEST_BACKOFF_MS = 720_000;
/** A provider that names a reset again and again and still refuses is not asked every few seconds. */
const TRUSTED_RESETS = 9;
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
 * What the run waits for after a refused try: the reset time of the limit, or a time that grows with each try. Without a
 * reset time, the last wait is what is left of `max_wait`, and the try after it is the last. `until` may have passed.
 */
export function waitOf(state: RunState, nowMs: number, random = Math.random): Wait | undefined {
  const { limitedSince, limitWait, limitedTries = 1 } = state;
  if (limitedSince === undefined || limitWait?.isOver === true) return undefined;
  const { limitHit } = state.latest;
  const facts = {
    for: limitHit?.kind === 'overload' ? 'overload' : 'usage-limit',
    reason: limitHit?.message ?? 'the provider lets nothing through',
  } as const;
  // A wait that a restart interrupted continues as it was.
  const pending = pendingUntil(limitWait, nowMs);
  if (pending !== undefined) return { ...facts, until: pending };
  const resetMs = Date.parse(limitHit?.resetsAt ?? '');
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (limitedTries - 1)) * (0.75 + random() / 2);
  const lastMs = Date.parse(limitedSince) + (state.spec?.maxWaitMs ?? Number.POSITIVE_INFINITY);
  const retryMs = Math.max(nowMs, Math.min(nowMs + backoffMs, lastMs));
  const openMs = resetMs > nowMs ? Math.min(resetMs + MARGIN_MS, LAST_TIME_MS) : retryMs;
  const untilMs = limitedTries > TRUSTED_RESETS ? Math.max(openMs, retryMs) : openMs;
  return { ...facts, until: new Date(untilMs).toISOString() };
}

/** If the clock has gone back to before the wait began, nobody knows what is left: no more than all of it. */
function pendingUntil(wait: RunState['limitWait'], nowMs: number): string | undefined {
  const sinceMs = Date.parse(wait?.since ?? '');
  const wholeMs = Date.parse(wait?.until ?? '') - sinceMs;
  return nowMs < sinceMs && wholeMs > 0 ? new Date(nowMs + wholeMs).toISOString() : wait?.until;
}
