import type { CallLimits, ShadowRepository } from './shadow-repository.js';
import { type PathBytes, splitPaths } from './work-tree.js';

export interface TreeEntry {
  /** As git writes it: `100644`, `100755`, `120000`. */
  readonly mode: string;
  readonly blob: string;
}

/** A path in which two trees differ. */
export interface EntryChange {
  readonly path: PathBytes;
  readonly before?: TreeEntry | undefined;
  readonly after?: TreeEntry | undefined;
}

/** Every path in which two trees differ. */
export async function entryChanges(
  shadow: ShadowRepository,
  before: string,
  after: string,
  limits: CallLimits,
): Promise<readonly EntryChange[]> {
  if (before === after) return [];
  const args = ['diff-tree', '-r', '--raw', '--no-abbrev', '-z', '--no-renames', before, after, '--'];
  const { stdout } = await shadow.git(args, limits);
  const fields = stdout.toString('latin1').split('\0');
  const changes: EntryChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore = '', modeAfter = '', blobBefore = '', blobAfter = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({
      path: fields[at + 1] ?? '',
      before: entryOf(modeBefore, blobBefore),
      after: entryOf(modeAfter, blobAfter),
    });
  }
  return changes;
}

function entryOf(mode: string, blob: string): TreeEntry | undefined {
  return mode === '000000' ? undefined : { mode, blob };
}

/** Every path of a tree. */
export async function everyPath(
  shadow: ShadowRepository,
  tree: string,
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes>> {
  const { stdout } = await shadow.git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree], limits);
  return new Set(splitPaths(stdout));
}

/** The entries of a tree whose file has this name, in whatever folder. */
export async function entriesNamed(
  shadow: ShadowRepository,
  tree: string,
  name: string,
  limits: CallLimits,
): Promise<ReadonlyMap<PathBytes, TreeEntry>> {
  const entries = await everyEntry(shadow, tree, limits);
  const named = entries.filter(({ path }) => path === name || path.endsWith(`/${name}`));
  return new Map(named.map(({ path, before }) => [path, before]));
}

/** Every file of a tree. */
export async function everyEntry(
  shadow: ShadowRepository,
  tree: string,
  limits: CallLimits,
): Promise<readonly { readonly path: PathBytes; readonly before: TreeEntry }[]> {
  const { stdout } = await shadow.git(['ls-tree', '-r', '-z', '--full-tree', tree], limits);
  return splitPaths(stdout).flatMap((line) => {
    const [, mode = '', blob = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
    return path === '' ? [] : [{ path, before: { mode, blob } }];
  });
}
