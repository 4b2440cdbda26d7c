import { mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askGit, type Environment } from './ask-git.js';
import type { WorktreePlan } from './plan-worktree.js';

export interface MadeWorktree {
  /** Its real path. */
  readonly path: string;
  /** Takes it away again, with its branch, unless something has been done there. Never rejects. */
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
  const asker = { folder, environment, signal };
  // Only a branch that is made here is taken away again.
  const branched = await askGit(asker, 'update-ref', '-m', 'pawl: worktree', `refs/heads/${branch}`, base, '');
  if (branched.error !== undefined) {
    removeFolders(making);
    return { error: `the branch ${branch} cannot be made: ${branched.error}` };
  }
  const added = await askGit(asker, 'worktree', 'add', '--quiet', path, branch);
  const isThere = statSync(join(path, prefix), { throwIfNoEntry: false })?.isDirectory() === true;
  if (added.error === undefined && isThere) return { path, discard: async () => discard(making) };
  await undo(making);
  return { error: `the worktree ${path} cannot be made: ${added.error ?? `it is without ${prefix}`}` };
}

/** The worktree that another process made for the same run: it is that one's to take away. */
export function madeWorktree({ path }: WorktreePlan): MadeWorktree {
  return { path: realpathSync(path), discard: async () => undefined };
}

/** Whoever makes the folder has it. */
function claimFolder(path: string): { readonly madeFrom: string | undefined } | { readonly error: string } {
  let madeFrom: string | undefined;
  try {
    madeFrom = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    mkdirSync(path, { mode: 0o700 });
    return { madeFrom: madeFrom === undefined ? undefined : realpathSync(madeFrom) };
  } catch (error) {
    removeEmpty(dirname(path), madeFrom);
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: code === 'EEXIST' ? `${path} is there already; give another NAME` : message };
  }
}

async function undo(making: Making): Promise<void> {
  const { path, repository: folder, environment } = making;
  removeFolders(making);
  // One that is gone, and perhaps was never ready, is forgotten by force only.
  await askGit({ folder, environment }, 'worktree', 'remove', '--force', '--force', path);
  await removeBranch(making);
}

async function discard(making: Making): Promise<void> {
  const { path, repository: folder, environment } = making;
  const removed = await askGit({ folder, environment }, 'worktree', 'remove', path);
  if (removed.error !== undefined) return;
  removeEmpty(dirname(path), making.madeFrom);
  await removeBranch(making);
}

/** Only as long as nothing was committed to it. */
async function removeBranch({ repository: folder, environment, branch, base }: Making): Promise<void> {
  await askGit({ folder, environment }, 'update-ref', '-d', `refs/heads/${branch}`, base);
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
