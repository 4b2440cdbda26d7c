import { setTimeout as pause } from 'node:timers/promises';
import { acquireLock, type Lock } from '../journal/lock.js';
import { newHolder } from '../journal/lock-holder.js';
import { LockedError } from '../model/errors.js';

export interface MirrorLockRequest {
  readonly path: string;
  readonly runId: string;
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** Waits for whoever holds it, in this process or another one. Undefined when patience ends or the signal comes. */
export async function waitForMirror(request: MirrorLockRequest): Promise<Lock | undefined> {
  const { path, runId, patienceMs, signal } = request;
  const endsAtMs = performance.now() + patienceMs;
  const holder = newHolder(runId);
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    try {
      return acquireLock({ path, holder });
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
    if (signal?.aborted === true || performance.now() > endsAtMs) return undefined;
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await pause(pauseMs);
  }
}
