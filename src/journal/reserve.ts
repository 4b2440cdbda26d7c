import { randomBytes } from 'node:crypto';
import { type Disk, errnoOf, onDisk, removeFile, statOf, writeNewFile } from './disk.js';

const RESERVE_BYTES = 64 * 1024;

/** The disk, or what the user may use of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOSPC' || errno === 'EDQUOT';
}

/** Takes up disk space that is given back when there is no more, so that the last events of a run fit. */
export function makeReserve(disk: Disk, path: string): void {
  onDisk('reserve disk space in', path, () => {
    const found = statOf(disk, path);
    if (found?.isFile() === true && found.size === RESERVE_BYTES) return;
    removeFile(disk, path);
    // Random, so that no file system stores it in less; synced, because space is ours only once it is allocated.
    writeNewFile(disk, path, randomBytes(RESERVE_BYTES), { sync: true });
  });
}

export function releaseReserve(disk: Disk, path: string): void {
  removeFile(disk, path);
}
