import { lstatSync, readdirSync, type Stats, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

/** A start does not tidy up for ever: the next one goes on with it. */
const MOST_LOOKED_AT = 256;
const MOST_TRIED = 32;
/** Another process may be between making its socket and listening at it. */
const YOUNG_MS = 60_000;
const ANSWER_MS = 1000;

/**
 * Removes sockets of runs that were killed from a folder that is ours alone: nobody listens there any more. Does not hold
 * up the process, never rejects.
 */
export async function removeDeadSockets(folder: string): Promise<void> {
  try {
    const old = readdirSync(folder)
      .filter((name) => /^[0-9a-f]{16}-\d+\.sock$/.test(name))
      .slice(0, MOST_LOOKED_AT)
      .map((name) => join(folder, name))
      .filter(isOldSocket);
    await Promise.all(old.slice(0, MOST_TRIED).map(removeIfDead));
  } catch {
    // The folder is gone, and with it what was to be removed.
  }
}

async function removeIfDead(path: string): Promise<void> {
  const isDead = await isRefused(path);
  // Looked at once more: another run may have made it anew.
  if (!isDead || !isOldSocket(path)) return;
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was first.
  }
}

function isOldSocket(path: string): boolean {
  const found: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  const isOurs = process.getuid === undefined || found?.uid === process.getuid();
  return found?.isSocket() === true && isOurs && Date.now() - found.mtimeMs > YOUNG_MS;
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path).unref();
    const settle = (isDead: boolean) => {
      socket.destroy();
      resolve(isDead);
    };
    socket.setTimeout(ANSWER_MS, () => settle(false));
    socket.once('connect', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED'));
  });
}
