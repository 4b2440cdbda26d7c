import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
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
export function findSecondHome(workingDir: string, environment: Environment): SecondHome {
  const git = findGit(workingDir);
  if (git !== undefined) {
    return {
      runs: { base: git.commonDir, segments: ['pawl', 'runs'] },
      // Of the whole work tree: a run in one of its folders sees what a run in another one changes.
      tree: { base: git.commonDir, segments: ['pawl', 'trees', hashOf(git.workTree)] },
    };
  }
  const hash = hashOf(workingDir);
  const base = stateHome(environment);
  return {
    runs: { base, segments: ['pawl', hash, 'runs'], makesBase: true },
    tree: { base, segments: ['pawl', hash], makesBase: true },
  };
}

/** `$XDG_STATE_HOME`, or what stands for it. */
export function stateHome(environment: Environment): string {
  const configured = environment['XDG_STATE_HOME'];
  // A relative path is to be ignored, says the XDG specification.
  if (configured !== undefined && isAbsolute(configured)) return configured;
  const home = environment['HOME'];
  return join(home !== undefined && isAbsolute(home) ? home : userInfo().homedir, '.local', 'state');
}

export interface Git {
  /** The top of the work tree. */
  readonly workTree: string;
  /** The `.git` folder of this work tree. */
  readonly gitDir: string;
  /** The `.git` folder that all work trees of the repository share. */
  readonly commonDir: string;
}

/** Reads files only: nothing of the tree is executed. */
export function findGit(from: string): Git | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const gitDir = gitDirAt(join(folder, '.git'));
    if (gitDir !== undefined) return { workTree: folder, gitDir, commonDir: commonDirOf(gitDir) };
    if (folder === dirname(folder)) return undefined;
  }
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
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
  const file = join(gitDir, 'commondir');
  try {
    return isFile(file) ? realpathSync(resolve(gitDir, readFileSync(file, 'utf8').trim())) : gitDir;
  } catch {
    return gitDir;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
