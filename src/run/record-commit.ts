import { commitRun } from '../iteration/commit-run.js';
import { PawlError } from '../model/errors.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunParts } from './run-parts.js';

export interface CommitMoment {
  readonly when: 'iteration' | 'end';
  readonly iteration: number;
  readonly summary: string | undefined;
}

/** Commits what the agent did, if the config asks for it at this moment, on record, and brings it to safety. */
export async function recordCommit(
  { spec, runId, environment, commitTrailers, publishWork }: RunParts,
  { when, iteration, summary }: CommitMoment,
  record: (event: NewEvent) => void,
): Promise<void> {
  const committed = await commitRun(when, spec, { runId, iteration, summary, environment, trailers: commitTrailers });
  if (committed !== undefined) record({ type: 'work-committed', ...committed });
  // Elsewhere what is not committed would be lost in silence.
  if (publishWork !== undefined && committed?.error !== undefined) {
    throw new PawlError('InvalidState', `the work could not be committed: ${committed.error}`);
  }
  // The agent may have committed by itself.
  await publishWork?.();
}
