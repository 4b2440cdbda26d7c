import * as fs from 'node:fs';
import { FileSystemError, PawlError } from '../model/errors.js';
import { dirname, join } from 'node:path';

/** Every call by which the writer touches the disk, so that a test can fail the Nth of them. */
export type Disk = Pick<
  typeof fs,
  | 'chmodSync'
  | 'closeSync'
  | 'fchmodSync'
  | 'fdatasync'
  | 'fdatasyncSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readSync'
  | 'readlinkSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'symlinkSync'
  | 'unlinkSync'
  | 'writeSync'
>;

export const NODE_DISK: Disk = fs;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

/** Never through a planted symlink, and never waiting for the other end of a planted pipe. */
export const OPEN_TO_READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
export const OPEN_TO_WRITE = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
const OPEN_NEW = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Runs a step on the disk; what the system refuses becomes a FileSystemError that names the path. */
export function onDisk<T>(operation: string, path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof PawlError) throw error;
    throw new FileSystemError(operation, path, error);
  }
}

/** The system's name for what went wrong, such as ENOENT, also when it is the cause of one of our errors. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof PawlError) return errnoOf(error.cause);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

/** What stands at a path, itself and not what it points to; undefined when nothing does. */
export function statOf(disk: Disk, path: string): fs.Stats | undefined {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function writeFully(disk: Disk, descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const written = disk.writeSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (written === 0) throw new Error('the system wrote nothing');
    done += written;
  }
}

/** Opens a file that must not exist yet. Its mode does not depend on the umask. */
export function openNewFile(disk: Disk, path: string): number {
  const descriptor = disk.openSync(path, OPEN_NEW, FILE_MODE);
  try {
    disk.fchmodSync(descriptor, FILE_MODE);
    return descriptor;
  } catch (error) {
    disk.closeSync(descriptor);
    throw error;
  }
}

/** A whole new file; when it cannot be completed it is removed again. */
export function writeNewFile(disk: Disk, path: string, bytes: Uint8Array, options?: { readonly sync: boolean }): void {
  const descriptor = openNewFile(disk, path);
  try {
    try {
      writeFully(disk, descriptor, bytes, 0);
      if (options?.sync === true) disk.fdatasyncSync(descriptor);
    } finally {
      disk.closeSync(descriptor);
    }
  } catch (error) {
    removeFile(disk, path);
    throw error;
  }
}

/** A regular file of at most `limitBytes`, or undefined when there is none. Anything else at the path is an error. */
export function readWholeFile(disk: Disk, path: string, limitBytes: number): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = disk.openSync(path, OPEN_TO_READ);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const found = disk.fstatSync(descriptor);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > limitBytes) throw new Error(`it is larger than ${limitBytes} bytes`);
    const bytes = Buffer.allocUnsafe(found.size);
    return bytes.subarray(0, readFully(disk, descriptor, bytes, 0));
  } finally {
    disk.closeSync(descriptor);
  }
}

/** Fills `bytes` from `position` on; returns how many there were. */
export function readFully(disk: Disk, descriptor: number, bytes: Buffer, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const count = disk.readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Best effort: for what is in the way or no longer needed. */
export function removeFile(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path);
  } catch {
    // It is gone already, or it stays and does no harm.
  }
}

/** Makes a new name in a folder survive a loss of power. */
export function syncFolder(disk: Disk, folder: string): void {
  const descriptor = disk.openSync(folder, O_RDONLY);
  try {
    disk.fsyncSync(descriptor);
  } catch (error) {
    // Some file systems know no sync of a folder; there is nothing to make up for it.
    if (errnoOf(error) !== 'EINVAL' && errnoOf(error) !== 'ENOTSUP') throw error;
  } finally {
    disk.closeSync(descriptor);
  }
}

/** Renames what stands at a path to the first free `<path>.<suffix>-<n>` and returns that. */
export function moveAside(disk: Disk, path: string, suffix: string): string {
  const target = freeName(disk, `${path}.${suffix}`);
  disk.renameSync(path, target);
  return target;
}

/** The first `<stem>-<n>` that nothing stands at. */
export function freeName(disk: Disk, stem: string): string {
  for (let n = 1; ; n += 1) {
    const name = `${stem}-${n}`;
    if (statOf(disk, name) === undefined) return name;
  }
}

/** `refuse`: a symlink or a file where a folder belongs is an error. `move`: it is renamed and the folder is made. */
export type InTheWay = 'refuse' | 'move';

/** Makes the folders of a place that are missing, mode 0700, never through a symlink. Returns the last one. */
export function makeFolder(disk: Disk, place: Place, inTheWay: InTheWay): string {
  const folder = folderOf(place);
  return onDisk('make the folder', folder, () => {
    // The base is the user's: it may be reached through symlinks, and its mode is not ours to choose.
    if (place.makesBase === true) makeBase(disk, place.base);
    let path = place.base;
    for (const segment of place.segments) {
      path = join(path, segment);
      makeOne(disk, path, inTheWay);
    }
    return folder;
  });
}

/** Step by step: where nothing can be made, such as in /proc, Node's recursive way never ends. */
function makeBase(disk: Disk, path: string): void {
  const missing: string[] = [];
  for (let folder = path; !exists(disk, folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      disk.mkdirSync(folder);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Also through a symlink: the base is the user's. */
function exists(disk: Disk, path: string): boolean {
  return statOf(disk, path) !== undefined || path === dirname(path);
}

function makeOne(disk: Disk, path: string, inTheWay: InTheWay): void {
  const found = statOf(disk, path);
  if (found?.isDirectory() === true) return;
  if (found !== undefined) {
    const what = found.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder';
    if (inTheWay === 'refuse') throw new FileSystemError('use', path, `${what}; move it away`);
    moveAside(disk, path, 'foreign');
  }
  try {
    disk.mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && statOf(disk, path)?.isDirectory() === true) return;
    throw error;
  }
  disk.chmodSync(path, FOLDER_MODE);
}

/** A folder that Pawl makes below one that is there already. */
export interface Place {
  readonly base: string;
  readonly segments: readonly string[];
  /** The base may be missing and is made too. */
  readonly makesBase?: true;
}

export function folderOf({ base, segments }: Place): string {
  return join(base, ...segments);
}

/** What a folder holds; nothing when it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** Which file, whatever it is called. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

export function isSameFile(a: FileIdentity | undefined, b: FileIdentity): boolean {
  return a !== undefined && a.ino === b.ino && a.dev === b.dev;
}
