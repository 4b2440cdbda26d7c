const LONGEST_BACKOFF_MS = 60_000;

/** How long an attempt at an item waits after the one before has ended: each time twice as long, up to a minute. */
export function attemptBackoffMs(attempt: number, backoffMs: number): number {
  return attempt < 2 ? 0 : Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** (attempt - 2));
}
