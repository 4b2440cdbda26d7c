import { isAbsolute, relative } from 'node:path';
import type { RunSpec } from '../model/run-spec.js';
import { openFileTracker } from '../observation/files/file-tracker.js';
import { digestOf, GuardedFiles } from '../observation/guarded-files.js';
import { createTreeWatch, type TreeWatch } from './tree-watch.js';

/** Watches the working tree of a run, unless it is told not to. `last` is the tree that the record ends with. */
export function watchTree(
  { workingDir, trackFileChanges, progressAlso }: RunSpec,
  runId: string,
  environment: Readonly<Record<string, string | undefined>>,
  last: string | undefined,
): TreeWatch | undefined {
  if (!trackFileChanges) return undefined;
  const watch = createTreeWatch(openFileTracker({ workingDir, runId, environment }), last);
  return progressAlso === undefined
    ? watch
    : withAlso(
        watch,
        new GuardedFiles(workingDir, [
          { paths: progressAlso.map((path) => relativeTo(workingDir, path, environment['HOME'])) },
        ]),
      );
}

/** Paths are matched relative to the working directory. */
function relativeTo(workingDir: string, path: string, home: string | undefined): string {
  const full = home === undefined ? path : path.replace(/^~(?=\/|$)/, home);
  return isAbsolute(full) ? relative(workingDir, full) : full;
}

/** Watches files, too, that are in no snapshot. */
function withAlso(watch: TreeWatch, files: GuardedFiles): TreeWatch {
  const figure = async () => digestOf(await files.look(), () => true);
  let before: string | undefined;
  return {
    ...watch,
    async begin(label) {
      before = await figure();
      return watch.begin(label);
    },
    async changesSince(from, label) {
      const changes = await watch.changesSince(from, label);
      const after = await figure();
      return before === undefined || after === undefined ? changes : { ...changes, also: { before, after } };
    },
  };
}
