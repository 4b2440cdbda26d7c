import { isUtf8 } from 'node:buffer';
import { posix, join, relative, sep } from 'node:path';
import { realpathSync } from 'node:fs';
import { findGit } from '../../journal/run-places.js';

/**
 * A path as git keeps it: bytes, relative to the top of the work tree. Held as a string with one character per byte, so
 * that a name which is not UTF-8 is neither lost nor confused with another.
 */
export type PathBytes = string;

export function pathBytesOf(text: string): PathBytes {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** What the file system takes. */
export function fileAt(workTree: string, path: PathBytes): Buffer {
  return Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(path, 'latin1')]);
}

/** What git takes with `-z --stdin`. */
export function joinPaths(paths: readonly PathBytes[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}

/** What git gives with `-z`. */
export function splitPaths(output: Buffer): readonly PathBytes[] {
  return output
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '');
}

/** For people, as seen from a folder below the top (empty: the top itself). */
export function shownFrom(folder: string, path: PathBytes): string {
  return shownPath(posix.relative(`/${pathBytesOf(folder)}`, `/${path}`));
}

/** For people: bytes that are not UTF-8 become `\xNN`. */
function shownPath(path: PathBytes): string {
  const bytes = Buffer.from(path, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : shownBytes(bytes);
}

function shownBytes(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => isCharacter(bytes.subarray(at, at + count), count));
    text +=
      length === undefined
        ? `\\x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}`
        : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}

function isCharacter(bytes: Buffer, length: number): boolean {
  return bytes.length === length && isUtf8(bytes);
}

/** What Pawl itself writes in a work tree: it is in no snapshot. Any other folder named `.ralph` is an ordinary one. */
export interface OwnFiles {
  includes(path: PathBytes): boolean;
  /** The same as lines for `info/exclude`, so that git does not look there. */
  readonly rules: readonly string[];
}

export function ownFilesIn({ top, workingDir }: WorkTree, stateFolder: string): OwnFiles {
  const folders = new Set([join(top, '.ralph'), join(workingDir, '.ralph'), stateFolder]);
  const inside = [...folders]
    .map((folder) => relative(top, folder))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith(`..${sep}`))
    .map(pathBytesOf);
  return {
    // A rule of the user's may take the exclusion back, which is why the names are compared as well.
    includes: (path) => inside.some((folder) => path.startsWith(`${folder}/`)),
    rules: inside.map((folder) => `/${asPattern(folder)}/`),
  };
}

/** A rule is one line, so that a line feed is matched as any character. */
function asPattern(path: PathBytes): string {
  return path.replaceAll(/[\\*?[\]]/g, '\\$&').replaceAll('\n', '?');
}

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
