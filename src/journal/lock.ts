/**
 * J3: one writer, many readers. A lock is a file that appears with its contents (link of a finished file), names its
 * holder beyond doubt, and is taken over only from a holder that is known to be gone. Two that find the same dead holder
 * settle it by a second lock, the mark, named after that holder: whoever has the mark looks again and replaces the lock.
 */
import { LockedError } from '../model/errors.js';
import {
  type Disk,
  errnoOf,
  moveAside,
  NODE_DISK,
  onDisk,
  openNewFile,
  removeFile,
  statOf,
  writeFully,
  writeNewFile,
} from './disk.js';
import { findLock, type LockHolder, nonceAt } from './lock-holder.js';

export interface LockRequest {
  readonly path: string;
  readonly holder: LockHolder;
  readonly disk?: Disk;
}

export interface Lock {
  readonly path: string;
  /** Puts the file back when somebody removed it. */
  keep(): void;
  /** Throws LockedError when somebody else has it: the file was deleted by hand, and another writer began. */
  check(): void;
  /** Removes the file if it is still ours. */
  release(): void;
}

/** The finished file that is to get the name of the lock. */
interface Candidate {
  readonly disk: Disk;
  readonly holder: LockHolder;
  readonly temp: string;
  readonly contents: Buffer;
}

/** Each round either ends or has seen another process end one; more than this is not a race. */
const ROUNDS = 100;
/** A mark may be stale too. So many deaths inside a takeover are not an accident. */
const DEEPEST_MARK = 6;
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Takes the lock or throws LockedError naming its holder. Does not wait. */
export function acquireLock({ path, holder, disk = NODE_DISK }: LockRequest): Lock {
  onDisk('lock', path, () => acquire(disk, path, holder, 0));
  return {
    path,
    keep() {
      if (statOf(disk, path) === undefined) withCandidate(disk, path, holder, (candidate) => appear(candidate, path));
    },
    check() {
      const nonce = nonceAt(disk, path);
      const found = nonce === undefined || nonce === holder.nonce ? undefined : findLock(disk, path, holder);
      if (found?.kind === 'held') throw new LockedError(path, found.by);
    },
    release() {
      release(disk, path, holder.nonce);
    },
  };
}

function acquire(disk: Disk, path: string, holder: LockHolder, depth: number): void {
  withCandidate(disk, path, holder, (candidate) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      if (appear(candidate, path)) return;
      const found = findLock(disk, path, holder);
      if (found.kind === 'held') throw new LockedError(path, found.by);
      if (found.kind === 'foreign') moveAside(disk, path, 'foreign');
      if (found.kind === 'stale' && takeOver(candidate, path, found.nonce, depth)) return;
    }
    throw new LockedError(path, 'the lock changes hands all the time');
  });
}

/** False when somebody else was first, so that the lock must be looked at anew. */
function takeOver({ disk, temp, holder }: Candidate, path: string, deadNonce: string, depth: number): boolean {
  if (depth >= DEEPEST_MARK) throw new LockedError(path, 'too many processes died while they took over this lock');
  const mark = `${path}.after-${deadNonce}`;
  acquire(disk, mark, holder, depth + 1);
  try {
    const now = findLock(disk, path, holder);
    if (now.kind !== 'stale' || now.nonce !== deadNonce) return false;
    disk.renameSync(temp, path);
    return true;
  } finally {
    release(disk, mark, holder.nonce);
  }
}

function withCandidate<T>(disk: Disk, path: string, holder: LockHolder, use: (candidate: Candidate) => T): T {
  const temp = `${path}.${holder.nonce}`;
  const contents = Buffer.from(`${JSON.stringify(holder)}\n`);
  writeNewFile(disk, temp, contents);
  try {
    return use({ disk, holder, temp, contents });
  } finally {
    removeFile(disk, temp);
  }
}

/** Gives the finished file its name; false when the name is taken. */
function appear(candidate: Candidate, path: string): boolean {
  try {
    candidate.disk.linkSync(candidate.temp, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!NO_HARD_LINKS.has(errnoOf(error))) throw error;
    return appearWithoutLinks(candidate, path);
  }
}

/** On a file system without hard links the contents follow the name; `findLock` allows for that. */
function appearWithoutLinks({ disk, contents }: Candidate, path: string): boolean {
  let descriptor: number;
  try {
    descriptor = openNewFile(disk, path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFully(disk, descriptor, contents, 0);
    return true;
  } finally {
    disk.closeSync(descriptor);
  }
}

/** Best effort: a lock that stays behind names a process that will be gone. */
function release(disk: Disk, path: string, nonce: string): void {
  try {
    if (nonceAt(disk, path) === nonce) disk.unlinkSync(path);
  } catch {
    // It is no longer ours, or it will be taken over.
  }
}
