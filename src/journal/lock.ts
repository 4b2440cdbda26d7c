import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { LockedError } from '../model/errors.js';
import { hasExited, parseProcStat, type ProcStat } from '../model/proc-stat.js';
import {
  type Disk,
  errnoOf,
  moveAside,
  NODE_DISK,
  onDisk,
  openNewFile,
  readWholeFile,
  removeFile,
  statOf,
  writeFully,
  writeNewFile,
} from './disk.js';

/**
 * J3: one writer, many readers. A lock is a file that appears with its contents (link of a finished file), names its
 * holder beyond doubt, and is taken over only from a holder that is known to be gone. Two that find the same dead holder
 * settle it by a second lock, the mark, named after that holder: anyone who has the mark looks again and replaces the lock.
 */

interface LockRequest {
  readonly path: string;
  readonly holder: LockHolder;
  readonly disk?: Disk;
}

export interface Lock {
  readonly path: string;
  /** Puts the file back when someone removed it. */
  keep(): void;
  /** Throws LockedError when someone else has it: the file was deleted by hand, and another writer began. */
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
      const found = nonce === holder.nonce ? undefined : findLock(disk, path, holder);
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
    throw new LockedError(path, 'other processes keep taking the lock');
  });
}

/** False when someone else was first, so that the lock must be inspected again. */
function takeOver({ disk, temp, holder }: Candidate, path: string, deadNonce: string, depth: number): boolean {
  if (depth >= DEEPEST_MARK) throw new LockedError(path, 'too many processes died while taking over this lock');
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

/** Who holds a lock: the contents of a lock file. */
export interface LockHolder extends ProcessIdentity {
  readonly runId: string;
  readonly since: string;
  /** Tells two locks of the same process apart. */
  readonly nonce: string;
}

const LIMIT_BYTES = 16 * 1024;
/**
 * A lock file appears with its contents, so one that cannot be read was damaged (a loss of power) or is being written on
 * a file system without hard links. The latter takes no time: after these seconds it is no one's.
 */
const SETTLED_AFTER_MS = 10_000;

export function newHolder(runId: string, now = new Date(), self: ProcessIdentity = ownIdentity()): LockHolder {
  return { ...self, runId, since: now.toISOString(), nonce: randomBytes(6).toString('hex') };
}

type FoundLock =
  | { readonly kind: 'free' }
  /** Not a regular file: nothing that Pawl has made. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'held'; readonly by: string }
  | { readonly kind: 'stale'; readonly nonce: string };

/** Who wants the lock, and for which run, where that is known. */
type Asker = ProcessIdentity & { readonly runId?: string | undefined };

/** What stands at the path of a lock, as seen from the process `self`. */
export function findLock(disk: Disk, path: string, self: Asker): FoundLock {
  const found = statOf(disk, path);
  if (found === undefined) return { kind: 'free' };
  if (!found.isFile()) return { kind: 'foreign' };
  const bytes = readWholeFile(disk, path, Number.MAX_SAFE_INTEGER)?.subarray(0, LIMIT_BYTES);
  if (bytes === undefined) return { kind: 'free' };
  const holder = parseHolder(bytes);
  if (holder === undefined) {
    const nonce = createHash('sha256')
      .update(`${found.ino} ${found.mtimeMs} `)
      .update(bytes)
      .digest('hex')
      .slice(0, 12);
    const settled = Math.abs(Date.now() - found.mtimeMs) > SETTLED_AFTER_MS;
    return settled ? { kind: 'stale', nonce } : { kind: 'held', by: 'a lock was made just now and cannot be read yet' };
  }
  return livenessOf(holder, self) === 'gone'
    ? { kind: 'stale', nonce: holder.nonce }
    : { kind: 'held', by: describeHolder(holder, self) };
}

/** The holder written in a lock file, when there is one and it is not known to be gone. */
export function holderAt(disk: Disk, path: string, self: ProcessIdentity = ownIdentity()): LockHolder | undefined {
  try {
    const holder = readHolder(disk, path);
    return holder === undefined || livenessOf(holder, self) === 'gone' ? undefined : holder;
  } catch {
    return undefined;
  }
}

/** The run whose writer left a lock behind and is gone. */
export function deadRunAt(disk: Disk, path: string, self: ProcessIdentity): string | undefined {
  try {
    const holder = readHolder(disk, path);
    return holder !== undefined && livenessOf(holder, self) === 'gone' ? holder.runId : undefined;
  } catch {
    return undefined;
  }
}

export function nonceAt(disk: Disk, path: string): string | undefined {
  return readHolder(disk, path)?.nonce;
}

/** Who it is, and what can be done about it from here; `above`: the folder of a run that lies around this one. */
export function describeHolder(holder: LockHolder, self: Asker, above?: string): string {
  const who = `run ${holder.runId} is being written by process ${holder.pid} on ${holder.host} since ${holder.since}`;
  if (livenessOf(holder, self) !== 'elsewhere') {
    const which = `${holder.runId}${above === undefined ? '' : ` --cwd ${JSON.stringify(above)}`}`;
    // Only loops have worktrees.
    const beside =
      self.runId?.startsWith('pipe_') === true
        ? `pawl wait ${which} waits until it has ended`
        : 'pawl run --worktree starts another run in its own git worktree';
    const place = above === undefined ? 'here' : `in ${above}`;
    return `already running ${place} (pawl watch ${which}): ${who}\n  pawl stop ${which} stops it; ${beside}`;
  }
  const where = holder.host === self.host ? 'in another container' : 'on another machine';
  return `${who}\n  it is ${where} and cannot be seen from here: if you are sure that the run has ended, delete the lock`;
}

function readHolder(disk: Disk, path: string): LockHolder | undefined {
  const bytes = readWholeFile(disk, path, LIMIT_BYTES);
  return bytes === undefined ? undefined : parseHolder(bytes);
}

function parseHolder(bytes: Buffer): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is LockHolder {
  const { host, pid, runId, since, nonce } = Object(value) as Partial<Record<string, unknown>>;
  if (![host, runId, since].every((field) => typeof field === 'string')) return false;
  return typeof pid === 'number' && typeof nonce === 'string' && /^[0-9a-f]{1,32}$/.test(nonce);
}

/** Which process, beyond doubt: a pid alone is used again. What the system does not tell is undefined. */
export interface ProcessIdentity {
  readonly host: string;
  readonly bootId?: string | undefined;
  readonly pidNamespace?: string | undefined;
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTime?: string | undefined;
}

export function ownIdentity(): ProcessIdentity {
  return {
    host: hostname(),
    bootId: tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: tryRead(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    startTime: statOfProcess(process.pid)?.startTime,
  };
}

/** `elsewhere`: it cannot be seen from here, so it must be taken for alive. */
type Liveness = 'alive' | 'gone' | 'elsewhere';

/** Whether a process is still there, as far as it can be told from `self`. */
export function livenessOf(other: ProcessIdentity, self: ProcessIdentity): Liveness {
  if (other.host !== self.host) return 'elsewhere';
  if (other.bootId !== self.bootId) {
    return other.bootId === undefined || self.bootId === undefined ? 'elsewhere' : 'gone';
  }
  if (other.pidNamespace !== self.pidNamespace) return 'elsewhere';
  return isRunning(other) ? 'alive' : 'gone';
}

function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const stat = statOfProcess(pid);
  // No /proc, or one that hides the processes of others: the signal 0 still tells.
  if (stat === undefined) return answersSignal(pid);
  return !hasExited(stat) && (startTime === undefined || stat.startTime === startTime);
}

function statOfProcess(pid: number): ProcStat | undefined {
  return tryRead(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1')));
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
