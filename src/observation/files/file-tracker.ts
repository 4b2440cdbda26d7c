import { messageOf } from '../../model/errors.js';
import { LOOSE_AFTER_A_RUN, LOOSE_IN_A_RUN } from './shadow-repository.js';
import type { KeptContents } from './kept-contents.js';
import type { EarlierFile, EarlierTree } from './earlier-files.js';
import type { Restored, RestoreRefused, RestoreRequest } from './restore-tree.js';
import {
  type ChangedLines,
  SnapshotTaker,
  TooManyFiles,
  type TrackedRun,
  type TrackerLimits,
} from './snapshot-taker.js';
import type { TreeChanges, TreeSnapshot } from './tree-changes.js';
import { FILE_LIMITS } from './tree-size.js';

export type { Restored, RestoreRefused, RestoreRequest, TreeChanges, TreeSnapshot };

/**
 * The work tree as git trees in a repository of our own. Nothing of the user's repository is written, and nothing that it
 * or the tree names is executed. A snapshot holds every file that no rule ignores, byte by byte, nested repositories
 * included; it does not hold folders named `.git`, the run's own `.ralph`, empty folders, FIFOs and sockets, and modes beyond "executable".
 *
 * A file is read again when its size, inode, modification or change time differ from the last look; times that git could
 * not tell apart make it read the content. What stays unseen: other content of the same size whose modification time was
 * put back within the second in which the file was last changed before the snapshot.
 */
export interface FileTracker {
  /** Never rejects. `label` is kept with the snapshot, such as "iteration 3". */
  snapshot(label: string, signal?: AbortSignal): Promise<TreeSnapshot | Untracked>;
  /** Never rejects. Both are trees of snapshots. */
  changes(before: string, after: string): Promise<TreeChanges | { readonly error: string }>;
  /** The lines in which they differ, to recognise a change that was made before. `start` is the tree of the start. Never rejects. */
  changedLines(before: string, after: string, start?: string): Promise<ChangedLines | { readonly error: string }>;
  /** The lines in which they differ, without context unless it is asked for. Never rejects. */
  patch(before: string, after: string, contextLines?: number): Promise<Buffer | { readonly error: string }>;
  /** Files of the one that differ from the other, as they were. Never rejects. */
  earlierFiles(
    trees: EarlierTree,
    isWanted: (path: string) => boolean,
  ): Promise<readonly EarlierFile[] | { readonly error: string }>;
  /** Contents of files that are in no snapshot. */
  kept(): Promise<KeptContents | { readonly error: string }>;
  /** Puts the tree back to a snapshot of it. Never rejects. */
  restore(request: RestoreRequest): Promise<Restored | RestoreRefused | { readonly error: string }>;
  /** Packs what has piled up, before the lock of the work tree is given up. Never rejects. */
  close(): Promise<void>;
}

/** There is no snapshot. */
export interface Untracked {
  readonly error: string;
  /** Of a tree that is too large for snapshots: one figure of its files, if git can tell. */
  readonly fingerprint?: string | undefined;
}

export interface FileTrackerOptions extends TrackedRun {
  readonly limits?: Partial<TrackerLimits> | undefined;
}

const LIMITS: TrackerLimits = { ...FILE_LIMITS, fileBytes: 100 * 1024 * 1024, timeoutMs: 5 * 60_000 };

const PACKING_MS = 60_000;
const CLOSING_MS = 10_000;

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
    turn = mine.then(packIfDue);
    return mine;
  };
  let packing: Promise<void> | undefined;
  // Next to the agent and the next snapshots: git removes an object's own file only when a pack has it.
  const packIfDue = () => {
    if (packing !== undefined || taker?.isPackingDue !== true) return;
    packing = taker
      .pack(LOOSE_IN_A_RUN, PACKING_MS)
      .catch(() => undefined)
      .finally(() => (packing = undefined));
  };
  const refusal = new Refusal();
  return {
    snapshot: (label, signal) =>
      inTurn(async (taker) => {
        if (refusal.isDue()) {
          try {
            return refusal.lift(await taker.snapshot(label, signal));
          } catch (error) {
            if (!(error instanceof TooManyFiles)) throw error;
            refusal.extend(error.message);
          }
        }
        return withFingerprint(taker, refusal.message, signal);
      }),
    async close() {
      await turn;
      await packing;
      if (taker !== undefined) await inTurn((open) => open.pack(LOOSE_AFTER_A_RUN, CLOSING_MS));
    },
    changes: (before, after) => inTurn((taker) => taker.changes(before, after)),
    changedLines: (before, after, start) => inTurn((taker) => taker.changedLines(before, after, start)),
    patch: (before, after, contextLines) => inTurn((taker) => taker.patch(before, after, contextLines)),
    earlierFiles: (trees, isWanted) => inTurn((taker) => taker.earlierFiles(trees, isWanted)),
    kept: () => inTurn(async (taker) => taker.kept),
    restore: (request) => inTurn((taker) => taker.restore(request)),
  };
}

/** To count too many files takes seconds: it is tried again after 1, 2, 4, 8 snapshots, and so on. */
class Refusal {
  message = '';
  #skipped = 0;
  #skips = 0;

  isDue(): boolean {
    if (this.#skipped >= this.#skips) return true;
    this.#skipped += 1;
    return false;
  }

  extend(message: string): void {
    this.message = message;
    this.#skipped = 0;
    this.#skips = Math.max(1, this.#skips * 2);
  }

  lift(snapshot: TreeSnapshot): TreeSnapshot {
    this.#skips = 0;
    return snapshot;
  }
}

async function withFingerprint(taker: SnapshotTaker, error: string, signal?: AbortSignal): Promise<Untracked> {
  try {
    return { error, fingerprint: await taker.fingerprint(signal) };
  } catch (cause) {
    return { error: `${error} (git status: ${messageOf(cause)})` };
  }
}
