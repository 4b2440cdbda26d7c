import { relative } from 'node:path';

/** A path as it is best read from `from`: relative where that does not climb. */
export function shownPath(path: string, from: string): string {
  const short = relative(from, path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}
