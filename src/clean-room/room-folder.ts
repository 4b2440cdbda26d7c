import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { livenessOf, ownIdentity, type ProcessIdentity } from '../journal/lock.js';

const HOLDER = /^(room-[0-9a-f]{16})\.json$/;

/**
 * A folder that no other user can read. Who made it is recorded before it is made and forgotten after it is removed: what
 * a process that was killed has left is removed by the next.
 */
export async function makeRoomFolder(scratchDir: string): Promise<string> {
  await mkdir(scratchDir, { recursive: true, mode: 0o700 });
  await removeLeftRooms(scratchDir);
  const folder = join(scratchDir, `room-${randomBytes(8).toString('hex')}`);
  // At once: a process that is killed between opening and writing leaves a file that tells of no one, which stays.
  writeFileSync(`${folder}.json`, JSON.stringify(ownIdentity()), { flag: 'wx', mode: 0o600 });
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Never rejects: what cannot be removed now is removed by a later process. */
export async function removeRoomFolder(folder: string): Promise<void> {
  try {
    await removeTree(folder);
    await rm(`${folder}.json`, { force: true });
  } catch {
    // The record of its holder is still there.
  }
}

async function removeLeftRooms(scratchDir: string): Promise<void> {
  const self = ownIdentity();
  for (const name of await readdir(scratchDir)) {
    const room = HOLDER.exec(name)?.[1];
    if (room === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop -- there is hardly ever one
    const holder = await holderIn(join(scratchDir, name));
    // oxlint-disable-next-line no-await-in-loop -- one after the other spares the disk
    if (holder !== undefined && livenessOf(holder, self) === 'gone') await removeRoomFolder(join(scratchDir, room));
  }
}

async function holderIn(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Partial<ProcessIdentity> | null;
    return typeof value?.host === 'string' && typeof value.pid === 'number' ? (value as ProcessIdentity) : undefined;
  } catch {
    return undefined;
  }
}

async function removeTree(folder: string): Promise<void> {
  await openFolders(folder);
  await rm(folder, { recursive: true, force: true });
}

/** The kernel and tests make folders that their own owner cannot read. */
async function openFolders(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      // oxlint-disable-next-line no-await-in-loop -- as deep as the tree
      if (entry.isDirectory()) await openFolders(join(folder, entry.name));
    }
  } catch {
    // It is gone, or removing it shows why it cannot be removed.
  }
}
