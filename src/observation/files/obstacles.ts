import { readdirSync } from 'node:fs';
import { statOf } from './large-files.js';
import { fileAt, type PathBytes } from './work-tree.js';

/**
 * What stands where a file is to be written and is in no snapshot: an ignored file, a link, a folder that holds more than
 * is known. Undefined when nothing does. `known` are the paths that a snapshot holds and that make way.
 */
export function obstacleFor(top: string, path: PathBytes, known: ReadonlySet<PathBytes>): PathBytes | undefined {
  for (const folder of foldersOf(path)) {
    const stat = statOf(fileAt(top, folder));
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return known.has(folder) ? undefined : folder;
  }
  const stat = statOf(fileAt(top, path));
  if (stat === undefined || known.has(path)) return undefined;
  return stat.isDirectory() && filesBelow(top, path).every((file) => known.has(file)) ? undefined : path;
}

/** The folders above a path, the outermost first. */
export function foldersOf(path: PathBytes): readonly PathBytes[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** Everything below a folder that is no folder. */
function filesBelow(top: string, folder: PathBytes): readonly PathBytes[] {
  return readdirSync(fileAt(top, folder), { withFileTypes: true, encoding: 'buffer' }).flatMap((entry) => {
    const path = `${folder}/${entry.name.toString('latin1')}`;
    return entry.isDirectory() ? filesBelow(top, path) : [path];
  });
}
