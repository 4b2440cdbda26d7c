import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

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
  for (let folder = real; ; folder = dirname(folder)) {
    const gitDir = gitDirAt(join(folder, '.git'));
    if (gitDir !== undefined) {
      return { top: folder, workingDir: real, git: { gitDir, commonDir: commonDirOf(gitDir) } };
    }
    if (folder === dirname(folder)) return { top: real, workingDir: real };
  }
}

/** `.git` is a folder, or a file that says where the folder is (a linked work tree, a submodule). */
function gitDirAt(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return isFile(join(path, 'HEAD')) ? realpathSync(path) : undefined;
    // Anything else would be read for ever.
    if (!isFile(path)) return undefined;
    const target = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(path, 'utf8'))?.[1];
    if (target === undefined) return undefined;
    const gitDir = resolve(dirname(path), target);
    return isFile(join(gitDir, 'HEAD')) ? realpathSync(gitDir) : undefined;
  } catch {
    return undefined;
  }
}

function commonDirOf(gitDir: string): string {
  try {
    const file = join(gitDir, 'commondir');
    return isFile(file) ? realpathSync(resolve(gitDir, readFileSync(file, 'utf8').trim())) : gitDir;
  } catch {
    return gitDir;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
