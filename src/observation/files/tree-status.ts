import type { PathBytes } from './path-bytes.js';

/** How the working tree differs from the index of the shadow repository. */
export interface TreeStatus {
  /** New or with other content, mode or kind. */
  readonly changed: readonly PathBytes[];
  readonly removed: readonly PathBytes[];
  /** Folders with a repository of their own, into which git does not look by itself. */
  readonly nested: readonly PathBytes[];
  /** The index holds something else than the last snapshot. */
  readonly isStaged: boolean;
}

/** Reads `git status --porcelain=v2 -z --no-renames`. */
export function parseTreeStatus(output: Buffer): TreeStatus {
  const changed: PathBytes[] = [];
  const removed: PathBytes[] = [];
  const nested: PathBytes[] = [];
  let isStaged = false;
  for (const record of output.toString('latin1').split('\0')) {
    if (record.startsWith('? ')) {
      const path = record.slice(2);
      if (path.endsWith('/')) nested.push(path);
      else changed.push(path);
    } else if (record.startsWith('1 ')) {
      const path = record.split(' ').slice(8).join(' ');
      const [inIndex, inTree] = record.slice(2, 4);
      isStaged ||= inIndex !== '.';
      if (inTree === 'D') removed.push(path);
      else if (inTree !== '.') changed.push(path);
    }
  }
  return { changed, removed, nested, isStaged };
}
