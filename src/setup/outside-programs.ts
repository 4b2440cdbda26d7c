import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';
import { findProgram } from '../process/run-tool.js';

export interface ProgramSearch {
  /** The folder that is inspected, and the tree that it belongs to: what lies in there may be anybody's. */
  readonly trees: readonly string[];
  readonly home: string;
  readonly path: string | undefined;
}

/** The folders of the PATH that do not lie in the tree, as a PATH. A relative one means something else in every folder. */
export function outsidePath({ trees, home, path = '' }: ProgramSearch): string {
  const roots = treesOf(trees, home);
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !liesIn(folder, roots))
    .join(delimiter);
}

/** A program of the PATH that is neither in the tree nor a link into it. */
export function findOutside(command: string, request: ProgramSearch): string | undefined {
  const roots = treesOf(request.trees, request.home);
  for (const folder of outsidePath(request).split(delimiter)) {
    const file = findProgram(join(folder, command), '/', undefined);
    if (folder !== '' && file !== undefined && !liesIn(file, roots)) return file;
  }
  return undefined;
}

/** Anyone who is in the home folder, or above it, has all programs of their own below; only packages are then left out. */
function treesOf(trees: readonly string[], home: string): readonly string[] {
  return trees.map(realPathOf).map((tree) => (isInside(realPathOf(home), tree) ? join(tree, 'node_modules') : tree));
}

function liesIn(path: string, roots: readonly string[]): boolean {
  const real = realPathOf(path);
  return roots.some((root) => isInside(path, root) || isInside(real, root));
}

function isInside(path: string, folder: string): boolean {
  const inner = relative(folder, path);
  return inner === '' || (inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner));
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
