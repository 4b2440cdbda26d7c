import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Git } from './run-places.js';
import type { SnapshotPlace } from './snapshot.js';

/** The counterparts of a folder in the other work trees of its repository. Reads files only. */
export function worktreeFolders(folder: string, { workTree, commonDir }: Git): readonly string[] {
  const records = join(commonDir, 'worktrees');
  return namesIn(records)
    .flatMap((name) => dotGitIn(join(records, name, 'gitdir')))
    .map((dotGit) => join(dirname(dotGit), relative(workTree, folder)))
    .filter((counterpart) => counterpart !== folder);
}

/** Whether a run took place in a worktree made from this work tree, in the folder's counterpart or below it. */
export function isOfWorktree({ spec, workingDir }: SnapshotPlace, folder: string, workTree: string): boolean {
  const worktree = spec?.worktree;
  if (worktree?.repository !== workTree) return false;
  const counterpart = join(worktree.path, relative(workTree, folder));
  return workingDir === counterpart || workingDir.startsWith(counterpart + sep);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function dotGitIn(path: string): readonly string[] {
  try {
    // Anything else would be read for ever.
    if (!statSync(path).isFile()) return [];
    return [resolve(dirname(path), readFileSync(path, 'utf8').trim())];
  } catch {
    return [];
  }
}
