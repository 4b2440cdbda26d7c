import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';

const MOST_ENTRIES = 200_000;
/** No one writes reports there, and walking through them takes longer than many a test run. */
const PASSED_BY = new Set(['.git', 'node_modules']);

/** The folder that a glob searches, and what it looks for there; of a plain path, the path alone. */
export function splitGlob(pattern: string) {
  const { base, glob, isGlob } = picomatch.scan(pattern.replace(/^(?:\.\/)+/, ''));
  return { base, glob, isGlob };
}

/**
 * The files below a folder that a path or glob names, as relative paths, sorted. Links to folders are not followed.
 * Undefined when there is too much to look through.
 */
export async function matchingFiles(folder: string, pattern: string): Promise<readonly string[] | undefined> {
  const { base, glob, isGlob } = splitGlob(pattern);
  if (!isGlob) return [pattern];
  const isMatch = picomatch(glob, { dot: true, nonegate: true, flags: 's' });
  const depth = glob.includes('**') ? Number.POSITIVE_INFINITY : glob.split('/').length;
  const found: string[] = [];
  const waiting = [{ path: '', depth: 1 }];
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    // oxlint-disable-next-line no-await-in-loop -- one folder after the other keeps few of them in memory
    for (const entry of await entriesOf(join(folder, base, at.path))) {
      seen += 1;
      if (seen > MOST_ENTRIES) return undefined;
      const path = at.path === '' ? entry.name : `${at.path}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (isMatch(path)) found.push(base === '' ? path : `${base}/${path}`);
      } else if (at.depth < depth && !PASSED_BY.has(entry.name)) waiting.push({ path, depth: at.depth + 1 });
    }
  }
  return found.sort();
}

/** A folder that is not there, or cannot be read, holds nothing. */
async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
