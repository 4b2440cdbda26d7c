import { relative, sep } from 'node:path';
import { type PathBytes, pathBytesOf } from './path-bytes.js';

/** What Pawl itself writes in a work tree: it is in no snapshot. A folder named `.ralph` is Pawl's at any depth. */
export interface OwnFiles {
  includes(path: PathBytes): boolean;
  /** The same as lines for `info/exclude`, so that git does not look there. */
  readonly rules: readonly string[];
}

export function ownFilesIn(top: string, stateFolder: string): OwnFiles {
  const inside = relative(top, stateFolder);
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`);
  const prefix = `${pathBytesOf(inside)}/`;
  return {
    // A rule of the user's may take the exclusion back, which is why the names are looked at as well.
    includes: (path) => /(?:^|\/)\.ralph\//.test(path) || (isInside && path.startsWith(prefix)),
    rules: ['.ralph/', ...(isInside ? [`/${asPattern(pathBytesOf(inside))}/`] : [])],
  };
}

/** A rule is one line, so that a line feed is matched as any character. */
function asPattern(path: PathBytes): string {
  return path.replaceAll(/[\\*?[\]]/g, '\\$&').replaceAll('\n', '?');
}
