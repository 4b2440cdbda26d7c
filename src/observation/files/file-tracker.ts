import { messageOf } from '../../model/errors.js';
import type { Restored, RestoreRefused, RestoreRequest } from './restore-tree.js';
import { SnapshotTaker, type TrackedRun, type TrackerLimits } from './snapshot-taker.js';
import type { TreeChanges } from './tree-changes.js';
import type { TreeSnapshot } from './tree-snapshot.js';

export type { Restored, RestoreRefused, RestoreRequest, TreeChanges, TreeSnapshot };

/**
 * The work tree as git trees in a repository of our own. Nothing of the user's repository is written, and nothing that it
 * or the tree names is executed. A snapshot holds every file that no rule ignores, byte by byte, nested repositories
 * included; it does not hold `.git`, folders named `.ralph`, empty folders, FIFOs and sockets, and modes beyond "executable".
 *
 * A file is read again when its size, inode, modification or change time differ from the last look; times that git could
 * not tell apart make it read the content. What stays unseen: other content of the same size whose modification time was
 * put back within the second in which the file was last changed before the snapshot.
 */
export interface FileTracker {
  /** Never rejects. `label` is kept with the snapshot, such as "iteration 3". */
  snapshot(label: string, signal?: AbortSignal): Promise<TreeSnapshot | { readonly error: string }>;
  /** Never rejects. Both are trees of snapshots. */
  changes(before: string, after: string): Promise<TreeChanges | { readonly error: string }>;
  /** Puts the tree back to a snapshot of it. Never rejects. */
  restore(request: RestoreRequest): Promise<Restored | RestoreRefused | { readonly error: string }>;
}

export interface FileTrackerOptions extends TrackedRun {
  readonly limits?: Partial<TrackerLimits> | undefined;
}

const LIMITS: TrackerLimits = { fileCount: 200_000, fileBytes: 100 * 1024 * 1024, timeoutMs: 5 * 60_000 };

/** Does nothing until the first snapshot. The caller holds the lock of the work tree. */
export function openFileTracker({ limits, ...options }: FileTrackerOptions): FileTracker {
  let taker: SnapshotTaker | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  // One after the other: there is one index.
  const inTurn = async <Result>(work: (taker: SnapshotTaker) => Promise<Result>) => {
    const mine = turn.then(async () => {
      try {
        taker ??= new SnapshotTaker(options, { ...LIMITS, ...limits });
        return await work(taker);
      } catch (error) {
        return { error: `the files cannot be tracked: ${messageOf(error)}` };
      }
    });
    turn = mine;
    return mine;
  };
  return {
    snapshot: (label, signal) => inTurn((taker) => taker.snapshot(label, signal)),
    changes: (before, after) => inTurn((taker) => taker.changes(before, after)),
    restore: (request) => inTurn((taker) => taker.restore(request)),
  };
}
