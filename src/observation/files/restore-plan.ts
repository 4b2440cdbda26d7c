import type { LargeFiles } from './large-files.js';
import { obstacleFor } from './obstacles.js';
import type { PathBytes } from './path-bytes.js';
import type { StagedFiles } from './staged-files.js';
import type { EntryChange } from './tree-entries.js';

/** What it takes to turn the tree as it is into a snapshot. */
export interface RestorePlan {
  readonly writes: readonly PathBytes[];
  readonly deletes: readonly PathBytes[];
  /** To be deleted, but for the rules of then, by which they may have been there: they stay. */
  readonly ignored: readonly PathBytes[];
  /** Their content was never kept: they stay as they are. */
  readonly notKept: readonly PathBytes[];
  /** Of those, the ones that are gone: they cannot be brought back. */
  readonly missing: readonly PathBytes[];
  /** Work that no run has recorded: only the checkpoint before the restore holds it. */
  readonly unsaved: readonly PathBytes[];
  /** What not even that holds: ignored files in the way, files too large to be kept, unreadable ones. */
  readonly unkept: readonly PathBytes[];
}

export interface PlanRequest {
  readonly top: string;
  readonly changes: readonly EntryChange[];
  readonly staged: StagedFiles;
  readonly largeFiles: LargeFiles;
  /** Whether a run has recorded the content that is to be replaced. */
  readonly isRecorded: (change: EntryChange) => boolean;
  readonly isIgnoredThen: (path: PathBytes) => boolean;
  readonly isUnreadable: (path: PathBytes) => boolean;
}

export function planRestore(request: PlanRequest): RestorePlan {
  const { top, changes, staged, largeFiles } = request;
  const notKept = changes.filter(({ path, after }) => after !== undefined && staged.isStandIn(path));
  const stays = new Set(notKept);
  const isLeft = ({ path, after }: EntryChange) => after === undefined && request.isIgnoredThen(path);
  const wanted = changes.filter((change) => !stays.has(change) && !isLeft(change));
  const replaced = wanted.filter(({ before }) => before !== undefined);
  const known = new Set(replaced.map(({ path }) => path));
  const writes = wanted.filter(({ after }) => after !== undefined).map(({ path }) => path);
  const inTheWay = writes.flatMap((path) => obstacleFor(top, path, known) ?? []);
  const lost = replaced.filter(({ path }) => largeFiles.includes(path) || request.isUnreadable(path));
  const unkept = new Set([...inTheWay, ...lost.map(({ path }) => path)]);
  return {
    writes,
    deletes: wanted.filter(({ after }) => after === undefined).map(({ path }) => path),
    ignored: changes.filter(isLeft).map(({ path }) => path),
    notKept: notKept.map(({ path }) => path),
    missing: notKept.filter(({ before }) => before === undefined).map(({ path }) => path),
    unsaved: replaced
      .filter((change) => !unkept.has(change.path) && !request.isRecorded(change))
      .map(({ path }) => path),
    unkept: [...unkept],
  };
}
