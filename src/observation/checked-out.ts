import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workGit, type WorkPlace } from './work-git.js';

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The commit that is checked out. Read as it stands in a file where it does: to ask git takes longer than many an agent.
 * Rejects when there is none.
 */
export async function checkedOut(place: WorkPlace): Promise<string> {
  const commit = await readHead(place);
  if (HASH.test(commit)) return commit;
  const { output, error } = await workGit(place, ['rev-parse', '--verify', 'HEAD']);
  if (error !== undefined) throw new Error(error);
  return output;
}

async function readHead({ workingDir, isWhole = false, environment }: WorkPlace): Promise<string> {
  // Whoever set it means another repository.
  if (!isWhole && environment['GIT_DIR'] !== undefined) return '';
  const folder = join(workingDir, '.git');
  const head = await lineOf(join(folder, 'HEAD'));
  const branch = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  return branch === undefined || branch.includes('..') ? head : lineOf(join(folder, branch));
}

async function lineOf(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trimEnd(),
    () => '',
  );
}
