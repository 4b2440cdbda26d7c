import { shownFrom } from './work-tree.js';

/**
 * The difference of two snapshots, in full. Paths are relative to the run's folder; what lies outside it, in the same
 * work tree, begins with `../`. Bytes that are not UTF-8 are shown as `\xNN`. A renamed file is a deleted and a created one.
 */
export interface TreeChanges {
  readonly created: readonly string[];
  /** Other content, other executable bit, or a symlink in place of a file. */
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  readonly changedFiles: number;
  /** Added and removed lines; a binary file has none. */
  readonly changedLines: number;
}

export const NO_CHANGES: TreeChanges = { created: [], modified: [], deleted: [], changedFiles: 0, changedLines: 0 };

/** Reads `git diff-tree -r --raw --numstat -z`. `folder` is the run's, below the top; empty when it is the top. */
export function parseTreeChanges(output: Buffer, folder: string): TreeChanges {
  const created: string[] = [];
  const modified: string[] = [];
  const deleted: string[] = [];
  let changedLines = 0;
  const fields = output.toString('latin1').split('\0');
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? '';
    if (field.startsWith(':')) {
      const path = shownFrom(folder, fields[++at] ?? '');
      const kind = field.at(-1);
      (kind === 'A' ? created : kind === 'D' ? deleted : modified).push(path);
    } else {
      changedLines += linesIn(field);
    }
  }
  const changedFiles = created.length + modified.length + deleted.length;
  return { created, modified, deleted, changedFiles, changedLines };
}

/** `added<TAB>removed<TAB>path`, with `-` for a binary file. */
function linesIn(field: string): number {
  const [, added, removed] = /^(\d+)\t(\d+)\t/.exec(field) ?? [];
  return Number(added ?? 0) + Number(removed ?? 0);
}

export interface TreeSnapshot {
  /** The git tree of the work tree: the same content has the same name, whatever happened in between. */
  readonly tree: string;
  /** What could not be captured: paths, or git's own words. */
  readonly incomplete: readonly string[];
}
