import { lstatSync } from 'node:fs';
import { type GitPlace, runGit } from './git.js';

export const CONFLICTS = 'there are conflicts that are not resolved: nothing was added';

/**
 * Takes the marks off that keep git from seeing changes (`assume-unchanged`, `skip-worktree`), but for files that a sparse
 * checkout leaves out. Resolves with why it cannot, or why nothing is to be added: there are conflicts.
 */
export async function unhideFiles(place: GitPlace): Promise<string | undefined> {
  const { stdout, error } = await runGit(place, ['ls-files', '-v', '-z']);
  if (error !== undefined) return error;
  const entries = stdout.toString('latin1').split('\0');
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

async function mark(place: GitPlace, how: string, paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  return (await runGit(place, ['update-index', how, '-z', '--stdin'], input)).error;
}

/** In a sparse checkout a file that is not there was not deleted. */
async function withoutSparse(place: GitPlace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const { output } = await runGit(place, ['config', '--type=bool', '--get', 'core.sparseCheckout']);
  return output === 'true' ? paths.filter((path) => isThere(place.folder, path)) : paths;
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
