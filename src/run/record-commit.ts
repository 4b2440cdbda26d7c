import { commitRun } from '../iteration/commit-run.js';
import { messageOf, PawlError } from '../model/errors.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunParts } from './run-parts.js';

export interface CommitMoment {
  readonly when: 'iteration' | 'end';
  readonly iteration: number;
  readonly summary: string | undefined;
  /** The run is to end: nobody waits for what may pass. */
  readonly ending: AbortSignal;
}

/**
 * Commits what the agent did, if the config asks for it at this moment, on record, and brings it to safety. Resolves with
 * why it is lost to a run that goes on without it; rejects when the run must not go on.
 */
export async function recordCommit(
  { spec, runId, environment, commitTrailers: trailers, commitsSince: since, publishWork, warn }: RunParts,
  { when, iteration, summary, ending }: CommitMoment,
  record: (event: NewEvent) => void,
): Promise<string | undefined> {
  const committed = await commitRun(when, spec, { runId, iteration, summary, environment, trailers, since, warn });
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
      throw new PawlError('InvalidState', `the work could not be committed: ${committed.error}`);
    }
    // The agent may have committed by itself.
    const published = await publishWork(ending);
    tell(published?.lost);
    return published?.lost;
  } catch (error) {
    tell(committed?.error ?? messageOf(error));
    throw error;
  }
}
