/** Worktrees of the user's repository: where a run with `--worktree` works, on a branch of its own. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../process/run-tool.js';
import { type GitPlace, runGit, withoutSteering } from './git.js';
import { whyNoRepository } from './read-repository.js';

/** A checkout may take long. */
const TIMEOUT_MS = 10 * 60_000;

/** With these, the agent's git would not use the folder that it works in. */
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

/** The user's repository, found from the folder alone. */
function repositoryAt(folder: string, environment: Environment, signal?: AbortSignal): GitPlace {
  // Git that cleans up while its checkout still runs may leave half of a worktree, which it cannot remove later.
  return { folder, environment: withoutSteering(environment), signal, timeoutMs: TIMEOUT_MS, graceMs: 0 };
}

/** Finds out where a worktree would be made, or why it cannot. Writes nothing, never rejects. */
export async function planWorktree(request: WorktreeRequest): Promise<WorktreePlan | { readonly error: string }> {
  const { workingDir: folder, name, environment } = request;
  const steered = STEERING_VARIABLES.find((variable) => (environment[variable] ?? '') !== '');
  if (steered !== undefined) return { error: `${steered} is set: the agent's git would not work in the worktree` };
  const place = repositoryAt(folder, environment);
  const top = await runGit(place, ['rev-parse', '--show-toplevel']);
  if (top.error !== undefined) return { error: whyNoRepository(folder, top.error) };
  const head = await runGit(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.error !== undefined) return { error: `${top.output} has no commit yet: a worktree needs one to begin with` };
  const prefix = (await runGit(place, ['rev-parse', '--show-prefix'])).output;
  const branch = `pawl/${name}`;
  const plan = {
    repository: top.output,
    path: join(request.home, `${basename(top.output)}-${hashOf(top.output)}`, name),
    branch,
    base: head.output,
    prefix,
  };
  const error = (await whyNotName(place, name)) ?? (await whyNotNow(place, plan, request.isMade === true));
  if (error !== undefined) return { error };
  return { ...plan, uncommitted: await countUncommitted(place) };
}

async function whyNotName(place: GitPlace, name: string): Promise<string | undefined> {
  const checked = await runGit(place, ['check-ref-format', `refs/heads/pawl/${name}`]);
  if (checked.error === undefined) return undefined;
  return `${JSON.stringify(name)} cannot be part of the name of a branch; give another NAME`;
}

async function whyNotNow(place: GitPlace, plan: WorktreePlan, isMade: boolean): Promise<string | undefined> {
  const { path, branch, prefix } = plan;
  if (isMade) {
    const own = await runGit({ ...place, folder: path }, ['symbolic-ref', '--quiet', 'HEAD']);
    return own.output === `refs/heads/${branch}` ? undefined : `${path} is not a worktree on the branch ${branch}`;
  }
  const taken = await runGit(place, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]);
  if (taken.error === undefined) return `the branch ${branch} already exists; use another NAME`;
  if (isThere(path)) return `${path} already exists; use another NAME`;
  if (prefix === '') return undefined;
  const kind = await runGit(place, ['cat-file', '-t', `HEAD:${prefix.replace(/\/$/, '')}`]);
  return kind.output === 'tree' ? undefined : `${prefix} is not in the last commit, so a worktree would be without it`;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What is wrong with it is reported when it is made.
    return false;
  }
}

async function countUncommitted(place: GitPlace): Promise<number | undefined> {
  const status = await runGit(place, ['status', '--porcelain', '-z', '--no-renames']);
  return status.error === undefined ? status.output.split('\0').length - 1 : undefined;
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8);
}

export interface MadeWorktree {
  /** Its real path. */
  readonly path: string;
  /** Removes it and its branch, unless there is work in it. Never rejects. */
  discard(): Promise<void>;
}

interface Making extends WorktreePlan {
  readonly environment: Environment;
  /** The topmost folder that was made for it. */
  readonly madeFrom: string | undefined;
}

/** Makes a worktree on a branch of its own. What fails leaves nothing behind. Never rejects. */
export async function makeWorktree(
  plan: WorktreePlan,
  environment: Environment,
  signal?: AbortSignal,
): Promise<MadeWorktree | { readonly error: string }> {
  const claimed = claimFolder(plan.path);
  if ('error' in claimed) return claimed;
  const making: Making = { ...plan, path: realpathSync(plan.path), environment, madeFrom: claimed.madeFrom };
  const { path, branch, base, repository: folder, prefix } = making;
  const place = repositoryAt(folder, environment, signal);
  // Only a branch that is made here is removed again.
  const branched = await runGit(place, ['update-ref', '-m', 'pawl: worktree', `refs/heads/${branch}`, base, '']);
  if (branched.error !== undefined) {
    removeFolders(making);
    return { error: `the branch ${branch} cannot be made: ${branched.error}` };
  }
  const added = await runGit(place, ['worktree', 'add', '--quiet', path, branch]);
  const isThere = statSync(join(path, prefix), { throwIfNoEntry: false })?.isDirectory() === true;
  if (added.error === undefined && isThere) return { path, discard: async () => discard(making) };
  await undo(making);
  return { error: `the worktree ${path} cannot be made: ${added.error ?? `it is without ${prefix}`}` };
}

/** The worktree that another process made for the same run: that process removes it. */
export function madeWorktree({ path }: WorktreePlan): MadeWorktree {
  return { path: realpathSync(path), discard: async () => undefined };
}

/** The process that makes the folder owns it. */
function claimFolder(path: string): { readonly madeFrom: string | undefined } | { readonly error: string } {
  let madeFrom: string | undefined;
  try {
    madeFrom = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    mkdirSync(path, { mode: 0o700 });
    return { madeFrom: madeFrom === undefined ? undefined : realpathSync(madeFrom) };
  } catch (error) {
    removeEmpty(dirname(path), madeFrom);
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: code === 'EEXIST' ? `${path} already exists; use another NAME` : message };
  }
}

async function undo(making: Making): Promise<void> {
  const { path, repository: folder, environment } = making;
  removeFolders(making);
  // Git forgets one that is gone, and perhaps was never ready, only with force.
  await runGit(repositoryAt(folder, environment), ['worktree', 'remove', '--force', '--force', path]);
  await removeBranch(making);
}

async function discard(making: Making): Promise<void> {
  const { path, repository: folder, environment } = making;
  const removed = await runGit(repositoryAt(folder, environment), ['worktree', 'remove', path]);
  if (removed.error !== undefined) return;
  removeEmpty(dirname(path), making.madeFrom);
  await removeBranch(making);
}

/** Only as long as nothing was committed to it. */
async function removeBranch({ repository: folder, environment, branch, base }: Making): Promise<void> {
  await runGit(repositoryAt(folder, environment), ['update-ref', '-d', `refs/heads/${branch}`, base]);
}

function removeFolders({ path, madeFrom }: Making): void {
  rmSync(path, { recursive: true, force: true });
  removeEmpty(dirname(path), madeFrom);
}

/** From the lowest folder up to the topmost one that was made. */
function removeEmpty(from: string, madeFrom: string | undefined): void {
  if (madeFrom === undefined) return;
  try {
    for (let folder = from; folder.startsWith(madeFrom); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // What is not empty belongs to others.
  }
}
