import { dirname, join } from 'node:path';
import { LockedError, messageOf } from '../model/errors.js';
import type { Disk } from './disk.js';
import { acquireLock, deadRunAt, describeHolder, holderAt, type Lock, type LockHolder, newHolder } from './lock.js';
import { makeFolder } from './make-folder.js';
import { ownIdentity, type ProcessIdentity } from './process-identity.js';
import { LOCK_NAME, type RunPlaces } from './run-places.js';
import type { Place } from './second-home.js';
import type { Warnings } from './warnings.js';

/** The locks of a working tree and of a run, held together. */
export interface RunLocks {
  /** Other runs of the tree whose writer died: what they started may still be running. */
  readonly deadRuns: readonly string[];
  /** Puts names back that were removed. */
  keep(): void;
  /** Throws LockedError when another writer has taken a lock since. */
  check(): void;
  release(): void;
}

export interface RunLocksRequest {
  readonly disk: Disk;
  readonly places: RunPlaces;
  readonly warnings: Warnings;
  readonly nowMs: number;
  readonly self?: ProcessIdentity | undefined;
}

/**
 * J3: one run per working tree, one writer per run. The tree's lock has two names, the one that the agent does not see
 * first: `rm -rf .ralph` does not free the tree.
 */
export function takeRunLocks(request: RunLocksRequest): RunLocks {
  const { disk, places, warnings, nowMs, self } = request;
  const holder = newHolder(places.runId, new Date(nowMs), self);
  refuseInside(disk, places);
  const locks: Lock[] = [];
  const dead = new Set<string>();
  const lockTree = (folder: string): void => {
    const found = deadRunAt(disk, join(folder, LOCK_NAME), holder);
    if (found !== undefined && found !== places.runId) dead.add(found);
    locks.push(lockIn(disk, folder, holder));
  };
  const releaseAll = () => locks.toReversed().forEach((lock) => lock.release());
  try {
    const hidden = secondTreeFolder(disk, places.secondTree, warnings);
    if (hidden !== undefined) lockTree(hidden);
    lockTree(makeFolder(disk, places.tree, 'refuse'));
    locks.push(lockIn(disk, makeFolder(disk, places.first, 'refuse'), holder));
  } catch (error) {
    releaseAll();
    throw error;
  }
  return {
    deadRuns: [...dead],
    keep() {
      try {
        for (const lock of locks) lock.keep();
      } catch (error) {
        warnings.warn(`a lock was removed and could not be put back: ${messageOf(error)}`);
      }
    },
    check() {
      for (const lock of locks) lock.check();
    },
    release: releaseAll,
  };
}

/** A run in a folder above would see what this one changes. */
function refuseInside(disk: Disk, { workingDir, runId }: RunPlaces): void {
  for (let folder = dirname(workingDir); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, '.ralph', LOCK_NAME);
    const holder = holderAt(disk, path);
    if (holder !== undefined) throw new LockedError(path, describeHolder(holder, { ...ownIdentity(), runId }, folder));
  }
}

function lockIn(disk: Disk, folder: string, holder: LockHolder): Lock {
  return acquireLock({ path: join(folder, LOCK_NAME), holder, disk });
}

function secondTreeFolder(disk: Disk, place: Place, warnings: Warnings): string | undefined {
  try {
    return makeFolder(disk, place, 'refuse');
  } catch (error) {
    warnings.warn(`the working tree is locked under one name only: ${messageOf(error)}`);
    return undefined;
  }
}
