/** The setting `commit`: what a run commits, and when. */
import { ConfigError } from '../model/errors.js';
import type { EventBodies } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { Environment } from '../process/run-tool.js';
import { commitMessage, commitWork, uncommittedFiles } from './commit-work.js';
import { type GitPlace, ownTree } from './git.js';
import { broughtCommits, checkedOut } from './read-repository.js';

export interface CommitFacts {
  readonly runId: string;
  /** Of the iteration that is committed; the last one at the end of a run. */
  readonly iteration: number;
  readonly summary?: string | undefined;
  readonly environment: Environment;
  /** In addition to those that name the run and the iteration. */
  readonly trailers?: Readonly<Record<string, string>> | undefined;
  /** The commit that the run's own tree began with: repositories that were added since are committed with their files. */
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
  spec: CommitSpec,
  { runId, iteration, summary, trailers: more, headBefore, ...facts }: CommitFacts,
): Promise<EventBodies['work-committed'] | undefined> {
  if (spec.commit !== when || iteration === 0) return undefined;
  const subject =
    when === 'end'
      ? `pawl: ${iteration === 1 ? '1 iteration' : `${iteration} iterations`}`
      : `pawl: iteration ${iteration}`;
  const trailers = { 'Pawl-Run': runId, 'Pawl-Iteration': String(iteration), ...more };
  const place = { ...placeOf(spec, facts), ...facts };
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
  spec: CommitSpec,
  facts: Pick<CommitFacts, 'environment' | 'since'>,
): Promise<string | undefined> {
  if (spec.commit !== 'iteration') return undefined;
  return checkedOut(placeOf(spec, facts)).catch(() => undefined);
}

/** The whole of a worktree is the run's work. */
function placeOf(
  { workingDir, worktree }: CommitSpec,
  { environment, since }: Pick<CommitFacts, 'environment' | 'since'>,
): GitPlace {
  const folder = worktree?.path ?? workingDir;
  return { environment, ...(since === undefined ? { folder } : ownTree(folder)) };
}

type CommitSpec = Pick<RunSpec, 'commit' | 'workingDir' | 'worktree'>;

/** The uncommitted files that a commit would take. Throws ConfigError when git cannot list them. */
export async function findUncommitted(
  { commit, workingDir, worktree }: CommitSpec,
  environment: Environment,
): Promise<readonly string[]> {
  if (commit === 'never' || worktree !== undefined) return [];
  const found = await uncommittedFiles({ folder: workingDir, environment });
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
