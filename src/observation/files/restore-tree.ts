import { join, relative } from 'node:path';
import { applyRestore } from './apply-restore.js';
import { type CallLimits, GitFailed } from './git-tool.js';
import type { LargeFiles } from './large-files.js';
import { type PathBytes, shownFrom } from './path-bytes.js';
import { planRestore, type RestorePlan } from './restore-plan.js';
import type { ShadowRepository } from './shadow-repository.js';
import { StagedFiles } from './staged-files.js';
import { type EntryChange, entryChanges, type TreeEntry } from './tree-entries.js';
import type { TreeSnapshot } from './tree-snapshot.js';

export interface RestoreRequest {
  readonly tree: string;
  /** Trees that runs have recorded: what they hold may be replaced. */
  readonly recorded: readonly string[];
  /** Replace also what no run has recorded. */
  readonly force: boolean;
  /** Told of the tree as it was, before anything is changed. What it throws ends the restore. */
  readonly onCheckpoint: (tree: string) => void;
}

/** The tree is as it was. Paths are for people. */
export interface Restored {
  readonly written: number;
  readonly deleted: number;
  /** Left as they are: their content was not kept, or the rules of that time ignore them. */
  readonly notKept: readonly string[];
  readonly ignored: readonly string[];
  /** Where things went that stood in the way and are in no snapshot. */
  readonly movedTo?: string | undefined;
}

/** Nothing was changed, because it would have replaced work that is recorded nowhere. */
export interface RestoreRefused {
  readonly unsaved: readonly string[];
  readonly unkept: readonly string[];
}

/** What a restore needs of the one who takes snapshots. */
export interface Restorer {
  readonly shadow: ShadowRepository;
  readonly largeFiles: LargeFiles;
  readonly snapshot: (label: string) => Promise<TreeSnapshot>;
}

/**
 * Puts a work tree back to a snapshot. Files that no snapshot holds (ignored ones, `.git` folders) are left alone; the
 * user's repository is not touched. Killed half-way, it can be done again or undone.
 */
export async function restoreTree(
  restorer: Restorer,
  request: RestoreRequest,
  limits: CallLimits,
): Promise<Restored | RestoreRefused> {
  const { shadow } = restorer;
  const now = await restorer.snapshot('before a restore');
  const changes = await entryChanges(shadow, now.tree, request.tree, limits);
  const own = join(shadow.tree.workingDir, '.ralph');
  const staged = new StagedFiles(shadow, join(own, 'restore'));
  const shown = (paths: readonly PathBytes[]) => paths.map((path) => shownFrom(folderOf(shadow), path));
  try {
    await staged.fill(entriesToWrite(changes), limits);
    const plan = await planFor(restorer, request, { now, changes, staged, limits });
    const isRisky = plan.unsaved.length + plan.unkept.length > 0;
    if (isRisky && !request.force) return { unsaved: shown(plan.unsaved), unkept: shown(plan.unkept) };
    request.onCheckpoint(now.tree);
    const aside = join(own, 'replaced', new Date().toISOString().replaceAll(':', '-'));
    const { deleted, ignored } = await applyRestore(plan, { shadow, staged, aside, limits });
    await checkRestored(restorer, request.tree, new Set([...plan.notKept, ...ignored]), limits);
    return {
      written: plan.writes.length,
      deleted,
      notKept: shown(plan.notKept),
      ignored: shown(ignored),
      movedTo: plan.unkept.length === 0 ? undefined : aside,
    };
  } finally {
    staged.remove();
  }
}

interface Situation {
  readonly now: TreeSnapshot;
  readonly changes: readonly EntryChange[];
  readonly staged: StagedFiles;
  readonly limits: CallLimits;
}

async function planFor(
  { shadow, largeFiles }: Restorer,
  { recorded }: RestoreRequest,
  { now, changes, staged, limits }: Situation,
): Promise<RestorePlan> {
  const unrecorded = await unrecordedPaths(shadow, now.tree, recorded, limits);
  const unreadable = new Set(now.incomplete);
  return planRestore({
    top: shadow.tree.top,
    changes,
    staged,
    largeFiles,
    isRecorded: ({ path }) => !unrecorded.has(path),
    isUnreadable: (path) => unreadable.has(shownFrom(folderOf(shadow), path)),
  });
}

/** Paths whose content of now is in none of the recorded trees. */
async function unrecordedPaths(
  shadow: ShadowRepository,
  now: string,
  recorded: readonly string[],
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes>> {
  let left: ReadonlySet<PathBytes> | undefined;
  for (const tree of recorded) {
    // oxlint-disable-next-line no-await-in-loop -- mostly the first one explains everything
    const differing = await differingPaths(shadow, tree, now, limits);
    const before: ReadonlySet<PathBytes> | undefined = left;
    if (differing !== undefined) left = before === undefined ? differing : intersection(before, differing);
    if (left?.size === 0) break;
  }
  return left ?? (await everyPath(shadow, now, limits));
}

/** Undefined when the tree is there no more. */
async function differingPaths(
  shadow: ShadowRepository,
  tree: string,
  now: string,
  limits: CallLimits,
): Promise<ReadonlySet<PathBytes> | undefined> {
  try {
    return new Set((await entryChanges(shadow, tree, now, limits)).map(({ path }) => path));
  } catch (error) {
    if (error instanceof GitFailed && error.isDamage) return undefined;
    throw error;
  }
}

async function everyPath(shadow: ShadowRepository, tree: string, limits: CallLimits): Promise<ReadonlySet<PathBytes>> {
  const { stdout } = await shadow.git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree], limits);
  return new Set(stdout.toString('latin1').split('\0'));
}

function intersection(one: ReadonlySet<PathBytes>, other: ReadonlySet<PathBytes>): ReadonlySet<PathBytes> {
  return new Set([...one].filter((path) => other.has(path)));
}

function entriesToWrite(changes: readonly EntryChange[]): ReadonlyMap<PathBytes, TreeEntry> {
  return new Map(changes.flatMap(({ path, after }) => (after === undefined ? [] : [[path, after] as const])));
}

/** Looks again: a tree that is not what was asked for must not be called restored. */
async function checkRestored(
  { shadow, snapshot }: Restorer,
  tree: string,
  left: ReadonlySet<PathBytes>,
  limits: CallLimits,
): Promise<void> {
  const after = await snapshot('after a restore');
  const wrong = (await entryChanges(shadow, after.tree, tree, limits)).filter(({ path }) => !left.has(path));
  const [first] = wrong;
  if (first === undefined) return;
  const name = shownFrom(folderOf(shadow), first.path);
  const others = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`;
  throw new GitFailed(`${name}${others} changed meanwhile: is something else writing here?`);
}

/** The run's folder below the top. */
function folderOf({ tree }: ShadowRepository): string {
  return relative(tree.top, tree.workingDir);
}
