import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** A folder that Pawl makes below one that is there already. */
export interface Place {
  readonly base: string;
  readonly segments: readonly string[];
  /** The base may be missing and is made too. */
  readonly makesBase?: true;
}

export function folderOf({ base, segments }: Place): string {
  return join(base, ...segments);
}

/**
 * Where the second names of a tree's files are kept, out of reach of `git clean` and `rm -rf .ralph`: in the repository's
 * common folder, or in the user's state folder outside git.
 */
export interface SecondHome {
  /** Holds a folder per run. Work trees of one repository share it. */
  readonly runs: Place;
  /** Holds what belongs to this working directory only. */
  readonly tree: Place;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `workingDir` is a real path. */
export function findSecondHome(workingDir: string, environment: Environment = process.env): SecondHome {
  const hash = createHash('sha256').update(workingDir).digest('hex').slice(0, 16);
  const commonDir = findGitCommonDir(workingDir);
  if (commonDir !== undefined) {
    return {
      runs: { base: commonDir, segments: ['pawl', 'runs'] },
      tree: { base: commonDir, segments: ['pawl', 'trees', hash] },
    };
  }
  const base = stateHome(environment);
  return {
    runs: { base, segments: ['pawl', hash, 'runs'], makesBase: true },
    tree: { base, segments: ['pawl', hash], makesBase: true },
  };
}

function stateHome(environment: Environment): string {
  const configured = environment['XDG_STATE_HOME'];
  // A relative path is to be ignored, says the XDG specification.
  if (configured !== undefined && isAbsolute(configured)) return configured;
  const home = environment['HOME'];
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), '.local', 'state');
}

/** The `.git` folder that all work trees of a repository share. Reads files only: nothing of the tree is executed. */
export function findGitCommonDir(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const gitDir = gitDirAt(join(folder, '.git'));
    if (gitDir !== undefined) return commonDirOf(gitDir);
    if (folder === dirname(folder)) return undefined;
  }
}

/** `.git` is a folder, or a file that says where the folder is (a linked work tree, a submodule). */
function gitDirAt(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return isFile(join(path, 'HEAD')) ? realpathSync(path) : undefined;
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
    return realpathSync(resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').trim()));
  } catch {
    return gitDir;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
