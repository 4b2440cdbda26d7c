import { dirname } from 'node:path';
import { messageOf } from '../model/errors.js';
import type { ToolResult } from '../process/run-tool.js';
import type { RemoteGit } from './remote-git.js';
import { remoteFailure } from './clone-failed.js';
import { decisiveLine } from './git.js';

/**
 * `refused`: the branch has other commits, so that no push can succeed; `isRewritten`: it has not, but the commit does not
 * build on what was pushed. `failed`: a later push may succeed.
 */
export type Published =
  | 'pushed'
  | { readonly refused: string; readonly isRewritten: boolean }
  | { readonly failed: string };

export interface Publication {
  readonly git: RemoteGit;
  /** A bare repository that shares the objects of the clone, and in which the agent does not work. */
  readonly outbox: string;
  readonly branch: string;
  readonly commit: string;
  /** The commit that it must build on, as long as the remote has no branch that ensures this. */
  readonly since?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Moves the remote's branch to a commit, but only if the branch loses no commit. Never rejects. */
export async function publishWork(publication: Publication): Promise<Published> {
  const { commit } = publication;
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return { failed: `${JSON.stringify(commit)} is not a commit` };
  const problem = await unfounded(publication);
  if (problem !== undefined) return problem;
  const first = await push(publication);
  // Of two pushes at once the remote rejects one; a second try gives the reason.
  return isTurnedAway(first) ? answerOf(publication, await push(publication)) : answerOf(publication, first);
}

async function unfounded({ git, outbox, commit, since, signal }: Publication): Promise<Published | undefined> {
  if (since === undefined) return undefined;
  try {
    if (await git.holds(outbox, commit, since, signal)) return undefined;
  } catch (error) {
    return { failed: messageOf(error) };
  }
  const why = `the work began with ${since.slice(0, 12)}, which ${commit.slice(0, 12)} does not build on`;
  return { refused: `${why}: nothing was pushed`, isRewritten: true };
}

function push({ git, outbox, branch, commit, signal }: Publication): Promise<ToolResult> {
  return git.tryRemote(outbox, ['push', '--porcelain', '--no-verify'], [`${commit}:refs/heads/${branch}`], signal);
}

function isTurnedAway(result: ToolResult): boolean {
  return /^!\t.*\t\[remote rejected\]/m.test(result.stdout.toString('utf8'));
}

function answerOf({ git, outbox, branch, commit }: Publication, result: ToolResult): Published {
  if (result.exitCode === 0) return 'pushed';
  const verdict = /^!\t[^\t]*\t\[([^\]]+)\](?: \((.*)\))?$/m.exec(result.stdout.toString('utf8'));
  if (verdict === null) return { failed: remoteFailure(git.shown, result, git.scrub, dirname(outbox)).message };
  const [, kind, why = 'it does not say why'] = verdict;
  if (kind === 'rejected') {
    const refused = refusal(`the branch ${branch} of ${git.shown}`, commit, why);
    return { refused, isRewritten: why !== 'fetch first' };
  }
  const remark = /^remote: (?!\s*$)(.*)$/m.exec(result.stderr)?.[1]?.trim();
  const words = git.scrub(remark === undefined ? why : `${why}: ${decisiveLine(remark)}`);
  return { failed: `${git.shown} does not take the branch ${branch}: ${words}` };
}

function refusal(branch: string, commit: string, why: string): string {
  if (why === 'fetch first') return `${branch} has commits that were made elsewhere: someone else has pushed`;
  return `${branch} is at a commit that ${commit.slice(0, 12)} does not build on (${why}): nothing was overwritten`;
}
