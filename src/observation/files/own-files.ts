import { join, relative, sep } from 'node:path';
import { type PathBytes, pathBytesOf } from './path-bytes.js';
import type { WorkTree } from './work-tree.js';

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
