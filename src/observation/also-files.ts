import { isAbsolute, relative } from 'node:path';
import { GuardedFiles } from './guarded-files.js';

/** The files under `progress.also`, which may be ignored or outside the working directory. */
export function alsoFiles(workingDir: string, paths: readonly string[], home: string | undefined): GuardedFiles {
  return new GuardedFiles(workingDir, [{ paths: paths.map((path) => relativeTo(workingDir, path, home)) }]);
}

/** Paths are matched relative to the working directory. */
function relativeTo(workingDir: string, path: string, home: string | undefined): string {
  const full = home === undefined ? path : path.replace(/^~(?=\/|$)/, home);
  return isAbsolute(full) ? relative(workingDir, full) : full;
}
