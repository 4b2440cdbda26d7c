import type { CallLimits } from './git-tool.js';
import type { PathBytes } from './path-bytes.js';
import type { ShadowRepository } from './shadow-repository.js';

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
