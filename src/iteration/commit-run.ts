import type { EventBodies } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { commitMessage, commitWork, uncommittedFiles } from '../observation/commit-work.js';
import { PawlError } from '../model/errors.js';

export interface CommitFacts {
  readonly runId: string;
  /** Of the iteration that is committed; the last one at the end of a run. */
  readonly iteration: number;
  readonly summary?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** Commits what the agent did, if the config asks for it at this moment. Undefined when there was nothing to do. */
export async function commitRun(
  when: 'iteration' | 'end',
  { commit, workingDir, worktree }: Pick<RunSpec, 'commit' | 'workingDir' | 'worktree'>,
  { runId, iteration, summary, environment, signal }: CommitFacts,
): Promise<EventBodies['work-committed'] | undefined> {
  if (commit !== when || iteration === 0) return undefined;
  const subject =
    when === 'end'
      ? `pawl: ${iteration === 1 ? '1 iteration' : `${iteration} iterations`}`
      : `pawl: iteration ${iteration}`;
  const trailers = { 'Pawl-Run': runId, 'Pawl-Iteration': String(iteration) };
  const made = await commitWork({
    // A worktree is the run's own, so that all of it is its work.
    workingDir: worktree?.path ?? workingDir,
    environment,
    signal,
    message: commitMessage(subject, summary, trailers),
  });
  return 'nothing' in made ? undefined : { iteration, ...made };
}

/** What the user has not committed yet must not be committed as the agent's. Throws before anything has run. */
export async function checkNothingUncommitted(
  { commit, workingDir, worktree }: Pick<RunSpec, 'commit' | 'workingDir' | 'worktree'>,
  environment: CommitFacts['environment'],
): Promise<void> {
  if (commit === 'never' || commit === undefined || worktree !== undefined) return;
  const found = await uncommittedFiles({ workingDir, environment });
  if ('error' in found) {
    throw new PawlError('InvalidState', `\`commit: ${commit}\` cannot be done in ${workingDir}: ${found.error}`);
  }
  const { files } = found;
  if (files === 0) return;
  const what = files === 1 ? '1 file is' : `${files} files are`;
  const advice = 'commit or stash them first, or use --worktree';
  throw new PawlError(
    'InvalidState',
    `${what} not committed, and \`commit: ${commit}\` would take them for the agent's: ${advice}`,
  );
}
