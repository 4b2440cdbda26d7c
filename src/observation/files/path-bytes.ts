import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';

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
