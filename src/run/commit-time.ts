import { formatDuration } from '../model/duration.js';

/** What a commit may take: a filter or a file system of the agent's can hold git up for ever. */
const COMMIT_LIMIT_MS = 10 * 60_000;
/** What is left of it once the run is to end, or its worker. */
const LAST_COMMIT_MS = 30_000;

export interface CommitLimits {
  readonly limitMs: number;
  readonly lastMs: number;
}

export const COMMIT_LIMITS: CommitLimits = { limitMs: COMMIT_LIMIT_MS, lastMs: LAST_COMMIT_MS };

/** Does something that ends in time; the reason of its signal are words that follow the name of what did not end. */
export async function withCommitTime<T>(
  ending: AbortSignal,
  { limitMs, lastMs }: CommitLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const endIn = (ms: number, after: string) =>
    setTimeout(() => over.abort(`did not end within ${formatDuration(ms)}${after}`), ms);
  const timers = [endIn(limitMs, '')];
  const hurry = () => void timers.push(endIn(lastMs, ' after the run was to end'));
  if (ending.aborted) hurry();
  else ending.addEventListener('abort', hurry, { once: true });
  try {
    return await work(over.signal);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    ending.removeEventListener('abort', hurry);
  }
}
