import { commitRun } from '../iteration/commit-run.js';
import { messageOf, PawlError } from '../model/errors.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import { COMMIT_LIMITS, type CommitLimits, withCommitTime } from './commit-time.js';
import type { RunParts } from './run-parts.js';

export interface CommitMoment {
  readonly when: 'iteration' | 'end';
  readonly iteration: number;
  readonly summary: string | undefined;
  /** What was checked out before the agent began. */
  readonly headBefore?: string | undefined;
  /** The run is to end: nobody waits for what may pass. */
  readonly ending: AbortSignal;
}

/**
 * Commits what the agent did, if the config asks for it at this moment, on record, and brings it to safety. Resolves with
 * why it is lost to a run that goes on without it; rejects when the run must not go on.
 */
export async function recordCommit(
  parts: RunParts,
  moment: CommitMoment,
  record: (event: NewEvent) => void,
  limits = COMMIT_LIMITS,
): Promise<string | undefined> {
  const { publishWork, leaving } = parts;
  const { committed, isLate } = await commitInTime(parts, moment, limits);
  // What is on no branch is not committed yet.
  const tell = (problem = committed?.error): void => {
    if (committed !== undefined) record({ type: 'work-committed', ...committed, error: problem });
  };
  if (publishWork === undefined) {
    tell();
    return undefined;
  }
  try {
    // Elsewhere what is not committed would be lost in silence.
    if (committed?.error !== undefined) {
      // Another worker has more time for it.
      if (isLate && leaving?.aborted === true) {
        tell();
        return committed.error;
      }
      throw new PawlError('InvalidState', `the work could not be committed: ${committed.error}`);
    }
    // The agent may have committed by itself.
    const published = await publishWork(moment.ending);
    tell(published?.lost);
    return published?.lost;
  } catch (error) {
    tell(committed?.error ?? messageOf(error));
    throw error;
  }
}

interface InTime {
  readonly committed: EventBodies['work-committed'] | undefined;
  /** It was ended before it was done. */
  readonly isLate: boolean;
}

function commitInTime(parts: RunParts, moment: CommitMoment, limits: CommitLimits): Promise<InTime> {
  const { spec, runId, environment, commitTrailers: trailers, commitsSince: since, leaving, warn } = parts;
  const { when, iteration, summary, headBefore, ending } = moment;
  const facts = {
    runId,
    iteration,
    summary,
    headBefore,
    environment,
    trailers,
    since,
    warn,
    timeoutMs: limits.limitMs,
  };
  const over = leaving === undefined ? ending : AbortSignal.any([ending, leaving]);
  return withCommitTime(over, limits, async (signal) => {
    const committed = await commitRun(when, spec, { ...facts, signal });
    return { committed, isLate: signal.aborted };
  });
}
