import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { askGit, type Environment, type GitAsker } from './ask-git.js';
import { whyNoRepository } from './why-no-repository.js';

/** Where the agent's git would look in place of the folder that it works in. */
const STEERING_VARIABLES = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR'];

export interface WorktreeRequest {
  /** A folder of the user's repository: the run works in its counterpart. */
  readonly workingDir: string;
  readonly name: string;
  /** Holds the worktrees of all repositories. */
  readonly home: string;
  readonly environment: Environment;
  /** The worktree was made by another process, for the same run. */
  readonly isMade?: boolean | undefined;
}

/** A worktree that can be made. */
export interface WorktreePlan {
  /** The top of the user's own tree. */
  readonly repository: string;
  readonly path: string;
  readonly branch: string;
  /** The commit that the branch begins with. */
  readonly base: string;
  /** The folder of the run below the top, such as `packages/web/`; empty for the top itself. */
  readonly prefix: string;
  /** What the user has changed and not committed; undefined when git cannot say. */
  readonly uncommitted?: number | undefined;
}

/** Finds out where a worktree would be made, or why it cannot. Writes nothing, never rejects. */
export async function planWorktree(request: WorktreeRequest): Promise<WorktreePlan | { readonly error: string }> {
  const { workingDir: folder, name, environment } = request;
  const steered = STEERING_VARIABLES.find((variable) => (environment[variable] ?? '') !== '');
  if (steered !== undefined) return { error: `${steered} is set: the agent's git would not work in the worktree` };
  const asker: GitAsker = { folder, environment };
  const top = await askGit(asker, 'rev-parse', '--show-toplevel');
  if (top.error !== undefined) return { error: whyNoRepository(folder, top.error) };
  const head = await askGit(asker, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (head.error !== undefined) return { error: `${top.output} has no commit yet: a worktree needs one to begin with` };
  const prefix = (await askGit(asker, 'rev-parse', '--show-prefix')).output;
  const branch = `pawl/${name}`;
  const plan = {
    repository: top.output,
    path: join(request.home, `${basename(top.output)}-${hashOf(top.output)}`, name),
    branch,
    base: head.output,
    prefix,
  };
  const error = (await whyNotName(asker, name)) ?? (await whyNotNow(asker, plan, request.isMade === true));
  if (error !== undefined) return { error };
  return { ...plan, uncommitted: await countUncommitted(asker) };
}

async function whyNotName(asker: GitAsker, name: string): Promise<string | undefined> {
  const checked = await askGit(asker, 'check-ref-format', `refs/heads/pawl/${name}`);
  if (checked.error === undefined) return undefined;
  return `${JSON.stringify(name)} cannot be part of the name of a branch; give another NAME`;
}

async function whyNotNow(asker: GitAsker, plan: WorktreePlan, isMade: boolean): Promise<string | undefined> {
  const { path, branch, prefix } = plan;
  if (isMade) {
    const own = await askGit({ ...asker, folder: path }, 'symbolic-ref', '--quiet', 'HEAD');
    return own.output === `refs/heads/${branch}` ? undefined : `${path} is not a worktree on the branch ${branch}`;
  }
  const taken = await askGit(asker, 'show-ref', '--verify', '--quiet', `refs/heads/${branch}`);
  if (taken.error === undefined) return `there is a branch ${branch} already; give another NAME`;
  if (isThere(path)) return `${path} is there already; give another NAME`;
  if (prefix === '') return undefined;
  const kind = await askGit(asker, 'cat-file', '-t', `HEAD:${prefix.replace(/\/$/, '')}`);
  return kind.output === 'tree' ? undefined : `${prefix} is not in the last commit, so a worktree would be without it`;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Whatever is wrong with it, making it will say so.
    return false;
  }
}

async function countUncommitted(asker: GitAsker): Promise<number | undefined> {
  const status = await askGit(asker, 'status', '--porcelain', '-z', '--no-renames');
  return status.error === undefined ? status.output.split('\0').length - 1 : undefined;
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8);
}
