import { randomBytes } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, NODE_DISK } from '../journal/disk.js';
import { findLock, ownIdentity } from '../journal/lock.js';
import { messageOf } from '../model/errors.js';

/** Contains the process that works in the folder. */
export const CLONE_LOCK = 'lock';
const REMOVED = '.removed-';
/** A younger empty folder may be one in which a clone is being made. */
const NEVER_USED_MS = 60 * 60_000;

/** One per epoch of a run: a worker that was given up may still write to the one before. */
export function cloneFolder(runId: string, epoch: number): string {
  return `${runId}.${epoch}`;
}

/** Never rejects: `removeAbandonedClones` tries again to remove what is left. */
export async function removeClone(folder: string): Promise<{ readonly error?: string | undefined }> {
  const doomed = folder.includes(REMOVED) ? folder : `${folder}${REMOVED}${randomBytes(4).toString('hex')}`;
  try {
    if (doomed !== folder) await rename(folder, doomed);
    await removeAll(doomed);
    return {};
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? {} : { error: `${folder} cannot be removed: ${messageOf(error)}` };
  }
}

/** Removes the clones of processes that have ended. Returns how many; what cannot be removed is left for the next time. */
export async function removeAbandonedClones(home: string): Promise<number> {
  const parent = join(home, 'workspaces');
  const names = await readdir(parent).catch(() => []);
  const removed = await Promise.all(names.map((name) => removeIfAbandoned(join(parent, name))));
  return removed.filter((isRemoved) => isRemoved).length;
}

async function removeIfAbandoned(folder: string): Promise<boolean> {
  try {
    const found = findLock(NODE_DISK, join(folder, CLONE_LOCK), ownIdentity());
    if (folder.includes(REMOVED) || found.kind === 'stale') return (await removeClone(folder)).error === undefined;
    if (found.kind !== 'free' || Date.now() - (await stat(folder)).mtimeMs < NEVER_USED_MS) return false;
    // Removes only an empty one.
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

/** An agent may have made folders that are not writable, as the module cache of Go is. */
async function removeAll(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await makeWritable(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  await Promise.all(folders.map((entry) => makeWritable(join(folder, entry.name))));
}
