import { lstatSync } from 'node:fs';
import { workGit, type WorkPlace } from './work-git.js';

export const CONFLICTS = 'there are conflicts that are not resolved: nothing was added';

/**
 * Takes the marks off that keep git from seeing changes (`assume-unchanged`, `skip-worktree`), but for files that a sparse
 * checkout leaves out. Resolves with why it cannot, or why nothing is to be added: there are conflicts.
 */
export async function unhideFiles(place: WorkPlace): Promise<string | undefined> {
  const { raw, error } = await workGit(place, ['ls-files', '-v', '-z']);
  if (error !== undefined) return error;
  const entries = raw.toString('latin1').split('\0');
  if (entries.some((entry) => entry.startsWith('M '))) return CONFLICTS;
  const assumed = entries.filter((entry) => /^[a-z] /.test(entry)).map(pathOf);
  const skipped = entries.filter((entry) => /^[Ss] /.test(entry)).map(pathOf);
  return (
    (await mark(place, '--no-assume-unchanged', assumed)) ??
    (await mark(place, '--no-skip-worktree', await withoutSparse(place, skipped)))
  );
}

function pathOf(entry: string): string {
  return entry.slice(2);
}

async function mark(place: WorkPlace, how: string, paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  return (await workGit(place, ['update-index', how, '-z', '--stdin'], input)).error;
}

/** In a sparse checkout a file that is not there was not deleted. */
async function withoutSparse(place: WorkPlace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const { output } = await workGit(place, ['config', '--type=bool', '--get', 'core.sparseCheckout']);
  return output === 'true' ? paths.filter((path) => isThere(place.workingDir, path)) : paths;
}

function isThere(top: string, path: string): boolean {
  const file = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder of its path is a file now.
    return false;
  }
}
