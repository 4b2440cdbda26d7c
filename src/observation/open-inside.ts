import type { BigIntStats } from 'node:fs';
import { constants, type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { messageOf } from '../model/errors.js';

/** What a path comes to that must not lead out of the working directory. */
export type Located =
  | { readonly kind: 'file'; readonly realPath: string; readonly stats: BigIntStats }
  | { readonly kind: 'missing' }
  /** There, but a folder, a pipe, a device. */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'refused'; readonly why: string };

export type Opened =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly stats: BigIntStats }
  | Exclude<Located, { kind: 'file' }>;

/** Nothing is opened: a pipe or a device is reported by its kind. */
export async function locateInside(workingDir: string, path: string): Promise<Located> {
  try {
    const root = await realpath(workingDir);
    const target = resolve(workingDir, path);
    if (!isWithin(target, resolve(workingDir)) && !isWithin(target, root)) return leadsOut(path);
    const realPath = await realTarget(target);
    if (realPath === undefined) return { kind: 'missing' };
    if (!isWithin(realPath, root)) return leadsOut(path);
    const stats = await lstat(realPath, { bigint: true });
    return stats.isFile() ? { kind: 'file', realPath, stats } : { kind: 'other', what: kindOf(stats) };
  } catch (error) {
    return { kind: 'refused', why: `${path} cannot be inspected: ${messageOf(error)}` };
  }
}

/**
 * A regular file inside the working directory, opened for reading. It is inspected again once it is open: someone may have
 * put something else in its place, or moved a folder above it.
 */
export async function openInside(workingDir: string, path: string): Promise<Opened> {
  const located = await locateInside(workingDir, path);
  if (located.kind !== 'file') return located;
  let handle: FileHandle | undefined;
  try {
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
    handle = await open(located.realPath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const stats = await handle.stat({ bigint: true });
    const root = await realpath(workingDir);
    if (stats.isFile() && isWithin(await whereIs(handle, located.realPath), root))
      return { kind: 'open', handle, stats };
    await handle.close();
    return stats.isFile() ? leadsOut(path) : { kind: 'other', what: kindOf(stats) };
  } catch (error) {
    await handle?.close().catch(() => undefined);
    return { kind: 'refused', why: `${path} cannot be read: ${messageOf(error)}` };
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function leadsOut(path: string): Located & { kind: 'refused' } {
  return { kind: 'refused', why: `${path} is outside the working directory` };
}

async function realTarget(target: string): Promise<string | undefined> {
  try {
    return await realpath(target);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Where an open file lies, by the word of the kernel where it has one. */
async function whereIs(handle: FileHandle, realPath: string): Promise<string> {
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(realPath));
}

function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isSymbolicLink() ? 'a link' : 'a device';
}
