import picomatch from 'picomatch';
import type { ProbeResult } from '../model/observation.js';

/** Files that globs name, relative to the working directory. */
export interface Protected {
  readonly paths: readonly string[];
}

const SHOWN_PATHS = 3;
const PATH_CHARACTERS = 120;

const matchers = new WeakMap<Protected, (path: string) => boolean>();

/** Whether one of the changed files, relative to the working directory, is protected. */
export function probeProtectedPaths(condition: Protected, changedPaths: readonly string[] | undefined): ProbeResult {
  if (changedPaths === undefined) return { detail: 'the changes were not observed' };
  const touched = [...new Set(changedPaths.filter(protectedMatcher(condition)))];
  if (touched.length === 0) return { met: false, detail: `nothing under ${condition.paths.join(', ')} changed` };
  return { met: true, detail: `${listOf(touched)} changed` };
}

/** Tells a path, relative to the working directory, that a condition protects. */
export function protectedMatcher(condition: Protected): (path: string) => boolean {
  const isProtected = matchers.get(condition) ?? matcherOf(condition);
  matchers.set(condition, isProtected);
  return isProtected;
}

function matcherOf({ paths }: Protected): (path: string) => boolean {
  const matches = paths.map(pathMatcher);
  return (path) => matches.some((isMatch) => isMatch(path));
}

/** As it is written, without what does not matter: `./test/` is `test`. */
export function plainPath(written: string): string {
  const plain = written.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  return plain === '.' ? '' : plain;
}

/** A glob, and as it is written: names may hold brackets. What names a folder protects everything below it. */
function pathMatcher(written: string): (path: string) => boolean {
  const plain = plainPath(written);
  if (plain === '') return () => true;
  // A file name may hold a line break, which the glob's dot would not match.
  const isMatch = picomatch([plain, `${plain}/**`], { dot: true, nonegate: true, flags: 's' });
  return (path) => path === plain || path.startsWith(`${plain}/`) || isMatch(path);
}

function listOf(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => path.slice(0, PATH_CHARACTERS));
  const more = paths.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
