import type { RunSpec } from '../model/run-spec.js';
import { openFileTracker } from '../observation/files/file-tracker.js';
import { createTreeWatch, type TreeWatch } from './tree-watch.js';

/** Watches the working tree of a run, unless it is told not to. `last` is the tree that the record ends with. */
export function watchTree(
  { workingDir, trackFileChanges }: RunSpec,
  runId: string,
  environment: Readonly<Record<string, string | undefined>>,
  last: string | undefined,
): TreeWatch | undefined {
  if (!trackFileChanges) return undefined;
  return createTreeWatch(openFileTracker({ workingDir, runId, environment }), last);
}
