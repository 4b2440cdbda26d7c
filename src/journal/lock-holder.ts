import { createHash, randomBytes } from 'node:crypto';
import { type Disk, readWholeFile, statOf } from './disk.js';
import { livenessOf, ownIdentity, type ProcessIdentity } from './process-identity.js';

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
 * a file system without hard links. The latter takes no time: after these seconds it is nobody's.
 */
const SETTLED_AFTER_MS = 10_000;

export function newHolder(runId: string, now = new Date(), self: ProcessIdentity = ownIdentity()): LockHolder {
  return { ...self, runId, since: now.toISOString(), nonce: randomBytes(6).toString('hex') };
}

export type FoundLock =
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
        : 'pawl run --worktree runs beside it, in a git worktree of its own';
    const place = above === undefined ? 'here' : `in ${above}`;
    return `already running ${place} (pawl watch ${which}): ${who}\n  pawl stop ${which} stops it; ${beside}`;
  }
  const where = holder.host === self.host ? 'in another container' : 'on another machine';
  return `${who}\n  it is ${where} and cannot be seen from here: if you are sure that it has ended, delete the lock`;
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
