import { commitRun } from '../iteration/commit-run.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunParts } from './run-parts.js';

export interface CommitMoment {
  readonly when: 'iteration' | 'end';
  readonly iteration: number;
  readonly summary: string | undefined;
}

/** Commits what the agent did, if the config asks for it at this moment, on record. */
export async function recordCommit(
  { spec, runId, environment }: RunParts,
  { when, iteration, summary }: CommitMoment,
  record: (event: NewEvent) => void,
): Promise<void> {
  const committed = await commitRun(when, spec, { runId, iteration, summary, environment });
  if (committed !== undefined) record({ type: 'work-committed', ...committed });
}
