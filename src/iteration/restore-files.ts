import {
  openFileTracker,
  type Restored,
  type RestoreRefused,
  type RestoreRequest,
} from '../observation/files/file-tracker.js';
import type { TrackedRun } from '../observation/files/snapshot-taker.js';

export type { Restored, RestoreRefused };

/** Puts the working tree of a run back. The caller holds the lock of the tree. Never rejects. */
export function restoreFiles(
  run: TrackedRun,
  request: RestoreRequest,
): Promise<Restored | RestoreRefused | { readonly error: string }> {
  return openFileTracker(run).restore(request);
}
