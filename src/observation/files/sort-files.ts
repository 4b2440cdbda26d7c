import type { BigIntStats } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { type LargeFiles, statOf } from './large-files.js';
import { fileAt, type PathBytes } from './path-bytes.js';

const FILES_AT_A_TIME = 2000;

export interface SortedFiles {
  /** For git to read. */
  readonly ordinary: readonly PathBytes[];
  readonly large: readonly PathBytes[];
  /** Neither a file nor a symlink: a FIFO, a socket, or a folder since a moment. */
  readonly unfit: readonly PathBytes[];
}

/** What can be done with the files that changed. */
export async function sortFiles(
  top: string,
  paths: readonly PathBytes[],
  largeFiles: LargeFiles,
): Promise<SortedFiles> {
  const sorted: Record<keyof SortedFiles, PathBytes[]> = { ordinary: [], large: [], unfit: [] };
  for (const [index, path] of paths.entries()) {
    sorted[kindOf(statOf(fileAt(top, path)), largeFiles)].push(path);
    // Others live in this process too.
    // oxlint-disable-next-line no-await-in-loop -- the pause is the point
    if (index % FILES_AT_A_TIME === FILES_AT_A_TIME - 1) await breathe();
  }
  return sorted;
}

function kindOf(stat: BigIntStats | undefined, largeFiles: LargeFiles): keyof SortedFiles {
  // What has gone in the meantime is removed by git, which looks again.
  if (stat === undefined || stat.isSymbolicLink()) return 'ordinary';
  if (!stat.isFile()) return 'unfit';
  return largeFiles.isLarge(stat) ? 'large' : 'ordinary';
}
