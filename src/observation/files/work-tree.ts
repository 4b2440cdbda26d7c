import { realpathSync } from 'node:fs';
import { findGit } from '../../journal/run-places.js';

/** What a run's snapshots cover: the top of the git work tree that holds its folder, or the folder itself outside git. */
export interface WorkTree {
  /** A real path. */
  readonly top: string;
  /** The real path of the run's folder, `top` or below it. */
  readonly workingDir: string;
  readonly git?: UserRepository | undefined;
}

/** The user's own repository. It is read and never written. */
export interface UserRepository {
  readonly gitDir: string;
  /** What all work trees of the repository share. */
  readonly commonDir: string;
}

/** Reads files only: nothing of the tree is executed. Throws when there is no such folder. */
export function findWorkTree(workingDir: string): WorkTree {
  const real = realpathSync(workingDir);
  const found = findGit(real);
  if (found === undefined) return { top: real, workingDir: real };
  const { workTree: top, gitDir, commonDir } = found;
  return { top, workingDir: real, git: { gitDir, commonDir } };
}
