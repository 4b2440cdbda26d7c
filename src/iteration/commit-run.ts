import type { EventBodies } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { broughtCommits } from '../observation/brought-commits.js';
import { checkedOut } from '../observation/checked-out.js';
import { commitMessage, commitWork, uncommittedFiles } from '../observation/commit-work.js';
import { ConfigError } from '../model/errors.js';

export interface CommitFacts {
  readonly runId: string;
  /** Of the iteration that is committed; the last one at the end of a run. */
  readonly iteration: number;
  readonly summary?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Beside those that name the run and the iteration. */
  readonly trailers?: Readonly<Record<string, string>> | undefined;
  /** Of repositories that came into the tree since this commit, the files are committed. */
  readonly since?: string | undefined;
  /** What was checked out when the iteration began: the agent may have committed by itself since. */
  readonly headBefore?: string | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Commits what the agent did, if the config asks for it at this moment. Undefined when there was nothing to do. */
export async function commitRun(
  when: 'iteration' | 'end',
  { commit: asked, workingDir, worktree }: CommitSpec,
  { runId, iteration, summary, trailers: more, headBefore, ...facts }: CommitFacts,
): Promise<EventBodies['work-committed'] | undefined> {
  if (asked !== when || iteration === 0) return undefined;
  const subject =
    when === 'end'
      ? `pawl: ${iteration === 1 ? '1 iteration' : `${iteration} iterations`}`
      : `pawl: iteration ${iteration}`;
  const trailers = { 'Pawl-Run': runId, 'Pawl-Iteration': String(iteration), ...more };
  // A worktree is the run's own, so that all of it is its work.
  const place = { workingDir: worktree?.path ?? workingDir, isWhole: facts.since !== undefined, ...facts };
  const ofAgent = await checkedOut(place).catch(() => undefined);
  const made = await commitWork({ ...place, headBefore, message: commitMessage(subject, summary, trailers) });
  if ('error' in made) return { iteration, ...made };
  const isMoved = headBefore !== undefined && ofAgent !== headBefore;
  const brought = isMoved ? await broughtCommits(place, headBefore) : undefined;
  const commit = 'commit' in made ? made.commit : brought?.head;
  const { count = 1 } = brought ?? {};
  return commit === undefined ? undefined : { iteration, commit, ...(count === 1 ? {} : { commits: count }) };
}

/** What is checked out where the work of an iteration is to be committed; undefined where there is no commit yet. */
export async function headForCommit(
  { commit, workingDir, worktree }: CommitSpec,
  { environment, since }: Pick<CommitFacts, 'environment' | 'since'>,
): Promise<string | undefined> {
  if (commit !== 'iteration') return undefined;
  const place = { workingDir: worktree?.path ?? workingDir, isWhole: since !== undefined, environment };
  return checkedOut(place).catch(() => undefined);
}

/** Where a run cannot commit what is its own: the whole of a worktree is. */
type CommitSpec = Pick<RunSpec, 'commit' | 'workingDir' | 'worktree'>;

/** What lies in the tree that a commit would take and nobody has committed. Throws ConfigError when git cannot tell. */
export async function findUncommitted(
  { commit, workingDir, worktree }: CommitSpec,
  environment: CommitFacts['environment'],
): Promise<readonly string[]> {
  if (commit === 'never' || worktree !== undefined) return [];
  const found = await uncommittedFiles({ workingDir, environment });
  if ('files' in found) return found.files;
  throw refused(`${commit} cannot be done in ${workingDir}: ${found.error}`);
}

/** What the user has not committed must not be committed as the agent's. Throws ConfigError. */
export function refuseUncommitted(commit: RunSpec['commit'], files: readonly string[], way: 'start' | 'resume'): void {
  if (files.length === 0) return;
  const isOne = files.length === 1;
  const what = `${isOne ? '1 file that is' : `${files.length} files that are`} not committed (${shortList(files)})`;
  const them = isOne ? 'it' : 'them';
  const advice = `commit or stash ${them} first${way === 'start' ? ', or use --worktree' : ''}`;
  throw refused(`${commit} would take ${what} for the agent's; ${advice}`);
}

/** The first names of a list that may be long. */
export function shortList(files: readonly string[]): string {
  const more = files.length > MOST_NAMES ? `, and ${files.length - MOST_NAMES} more` : '';
  return `${files.slice(0, MOST_NAMES).join(', ')}${more}`;
}

const MOST_NAMES = 3;

function refused(message: string): ConfigError {
  return new ConfigError([{ path: 'commit', message }]);
}
