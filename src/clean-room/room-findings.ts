import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type PutBack, statAt } from './room-files.js';

/** What can be said about a run in the room after its end. */
export interface RoomFindings {
  /** Why its result says nothing about the tests. */
  readonly problem?: string | undefined;
  /** Paths of put-back files that the command wrote, replaced or removed; those it opened for writing, too. */
  readonly touched: readonly string[];
  /** The upper layer was in memory and too large to keep: `writtenDir` is empty. */
  readonly isWrittenLost?: true | undefined;
}

/** What the command showed of itself. */
export interface RoomOutcome {
  readonly exitCode?: number | undefined;
  readonly output: string;
}

const FULL_TEXT = /\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/i;
const LEAST_FREE_BYTES = 1024 * 1024;

export type Stamps = ReadonlyMap<string, string>;

/** A change of the contents, the name or the permissions changes a stamp, and no program can set it back. */
export async function stampsBelow(root: string, paths: Iterable<string>): Promise<Stamps> {
  const stamps = [...paths].map(async (path) => {
    const stats = await statAt(join(root, path));
    return [path, stats === undefined ? 'missing' : `${stats.ino} ${stats.ctimeNs}`] as const;
  });
  return new Map(await Promise.all(stamps));
}

export async function changedBelow(root: string, before: Stamps): Promise<readonly string[]> {
  const after = await stampsBelow(root, before.keys());
  return [...before.keys()].filter((path) => after.get(path) !== before.get(path));
}

/** What the script in the room recorded; undefined when the command was not started. */
export async function statusIn(
  layer: string,
): Promise<{ readonly freeBytes?: number; readonly isLost: boolean } | undefined> {
  const text = await readFile(join(layer, 'status'), 'utf8').catch(() => '');
  if (!text.startsWith('entered\n')) return undefined;
  const free = /^free (\d+)$/m.exec(text)?.[1];
  return { ...(free === undefined ? {} : { freeBytes: Number(free) * 1024 }), isLost: /^lost$/m.test(text) };
}

/** An upper layer that is full makes tests fail that would pass. */
export async function fullDisk(room: string, outcome: RoomOutcome, freeBytes?: number): Promise<string | undefined> {
  if (outcome.exitCode === 0) return undefined;
  if (freeBytes !== undefined && freeBytes < LEAST_FREE_BYTES) return 'the memory for the clean room was full';
  if (freeBytes === undefined && (await hasNoRoom(room))) return `the disk of ${room} was full`;
  return FULL_TEXT.test(outcome.output) ? 'the command reported that a disk is full' : undefined;
}

async function hasNoRoom(folder: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  return bavail * bsize < LEAST_FREE_BYTES || (files > 0 && ffree === 0);
}

/** In the upper layer is only what was written. A removed file is a device there, unless its folder was removed and made again. */
export async function touchedInLayer(layer: string, files: readonly PutBack[]): Promise<readonly string[]> {
  const missing = new Set((await readFile(join(layer, 'missing'), 'utf8').catch(() => '')).split('\0'));
  const touched = await Promise.all(
    files.map(async ({ path, content }) => {
      const stats = await statAt(join(layer, 'written', path));
      if (content === undefined) return stats !== undefined && !stats.isCharacterDevice();
      return stats !== undefined || missing.has(path);
    }),
  );
  return files.filter((_, at) => touched[at]).map(({ path }) => path);
}
