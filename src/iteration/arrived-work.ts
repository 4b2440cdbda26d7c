import type { NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { committedIteration } from '../observation/committed-iteration.js';

export interface ArrivedRun {
  readonly runId: string;
  /** Its tree is fresh, at the tip of its branch. */
  readonly spec: RunSpec;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The record that is missing of an iteration whose runner died between its push and telling of it. */
export async function arrivedWork(
  { runId, spec, environment }: ArrivedRun,
  iteration: number,
): Promise<NewEvent | undefined> {
  const place = { workingDir: spec.worktree?.path ?? spec.workingDir, isWhole: true, environment };
  const found = await committedIteration(place, runId);
  return found?.iteration === iteration ? { type: 'work-committed', iteration, commit: found.commit } : undefined;
}
