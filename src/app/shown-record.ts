import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ListedRun } from '../journal/list-runs.js';
import { projectRuns } from '../journal/run-places.js';
import { shownPath } from './shown-path.js';

/** Where a person finds the record of a run: by its links in the working directory, if they are there. */
export function shownRecord(
  { runId, workingDir, folder }: Pick<ListedRun, 'runId' | 'workingDir' | 'folder'>,
  from: string,
): string {
  const links = join(projectRuns(workingDir), runId);
  return shownPath(existsSync(links) ? links : folder, from);
}
