import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { applyRestore, FileWitness } from './apply-restore.js';
import { type CallLimits, GitFailed, type ShadowRepository } from './shadow-repository.js';
import type { LargeFiles } from './large-files.js';
import { type PathBytes, shownFrom } from './work-tree.js';
import { folderOf, planRestore, type RestorePlan } from './restore-plan.js';
import { StagedFiles } from './staged-files.js';
import { type EntryChange, entryChanges, everyPath, type TreeEntry } from './tree-entries.js';
import type { TreeSnapshot } from './tree-changes.js';

export interface RestoreRequest {
  readonly tree: string;
  /** Trees that runs have recorded: what they hold may be replaced. */
  readonly recorded: readonly string[];
  /** Replace also what no run has recorded. */
  readonly force: boolean;
  /** Told of the tree as it was, before anything is changed. What it throws ends the restore. */
  readonly onCheckpoint: (tree: string) => void;
}

/** The tree is as it was, but for the paths that are named. Paths are for people. */
export interface Restored {
  readonly written: number;
  readonly deleted: number;
  /** Left as they are: their content was not kept, or the rules of then or of now leave them out. */
  readonly notKept: readonly string[];
  /** Deleted since, and not brought back: their content was not kept. */
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
  /** Changed by someone while it was at work, and moved out of the way. */
  readonly changed: readonly string[];
  /** Where things went that stood in the way and are in no snapshot. */
  readonly movedTo?: string | undefined;
  /** How the tree was before; undefined when nothing was to be done. */
  readonly checkpoint?: string | undefined;
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

/** How often it begins again because files are being written. */
const MOST_ROUNDS = 3;

/**
 * Puts a work tree back to a snapshot. Files that no snapshot holds (ignored ones, `.git` folders) are left alone; the
 * user's repository is not touched. Killed half-way, it can be done again or undone.
 */
export async function restoreTree(
  restorer: Restorer,
  request: RestoreRequest,
  limits: CallLimits,
): Promise<Restored | RestoreRefused> {
  const own = join(restorer.shadow.tree.workingDir, '.ralph');
  sweepStaged(own);
  const staged = new StagedFiles(restorer.shadow, join(own, `${STAGING}${process.pid}-${Date.now()}`));
  try {
    for (let round = 1; ; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- again when someone writes meanwhile
      const restored = await attempt(restorer, request, { own, staged, limits, isLast: round === MOST_ROUNDS });
      if (restored !== 'changed') return restored;
    }
  } finally {
    staged.remove();
  }
}

interface Round {
  readonly own: string;
  readonly staged: StagedFiles;
  readonly limits: CallLimits;
  readonly isLast: boolean;
}

async function attempt(
  restorer: Restorer,
  request: RestoreRequest,
  { own, staged, limits, isLast }: Round,
): Promise<Restored | RestoreRefused | 'changed'> {
  const { shadow, largeFiles } = restorer;
  const now = await restorer.snapshot('before a restore');
  const changes = await entryChanges(shadow, now.tree, request.tree, limits);
  if (changes.length === 0) return NOTHING_DONE;
  await staged.fill(entriesToWrite(changes), limits);
  const plan = await planRestore({ ...request, shadow, largeFiles, now, changes, staged, limits });
  const shown = (paths: readonly PathBytes[]) => paths.map((path) => shownFrom(folderOf(shadow), path));
  const isRisky = plan.unsaved.length + plan.unkept.length > 0;
  if (isRisky && !request.force) return { unsaved: shown(plan.unsaved), unkept: shown(plan.unkept) };
  // To stage and to plan takes its time: what is replaced must be what the checkpoint holds.
  const witness = new FileWitness(shadow.tree.top, [...plan.writes, ...plan.deletes]);
  const again = await restorer.snapshot('before a restore');
  if (again.tree !== now.tree && !isLast) return 'changed';
  if (again.tree !== now.tree) throw new GitFailed('files keep changing: is another program writing here?');
  request.onCheckpoint(now.tree);
  const aside = join(own, 'replaced', new Date().toISOString().replaceAll(':', '-'));
  const changed = applyRestore(plan, { top: shadow.tree.top, staged, aside, witness });
  const appeared = await checkRestored(restorer, { now: now.tree, tree: request.tree, plan, limits });
  return {
    written: plan.writes.length,
    deleted: plan.deletes.length,
    notKept: shown(plan.notKept.filter((path) => !plan.missing.includes(path))),
    missing: shown(plan.missing),
    ignored: shown([...plan.ignored, ...appeared]),
    changed: shown(changed),
    movedTo: plan.unkept.length + changed.length === 0 ? undefined : aside,
    checkpoint: now.tree,
  };
}

const NOTHING_DONE: Restored = { written: 0, deleted: 0, notKept: [], missing: [], ignored: [], changed: [] };
const STAGING = 'restore-';

/** What a restore that was killed has left. A program of it may still be writing there. */
function sweepStaged(own: string): void {
  if (!existsSync(own)) return;
  for (const name of readdirSync(own)) {
    if (!name.startsWith(STAGING)) continue;
    try {
      rmSync(join(own, name), { recursive: true, force: true });
    } catch {
      // The next one will.
    }
  }
}

function entriesToWrite(changes: readonly EntryChange[]): ReadonlyMap<PathBytes, TreeEntry> {
  return new Map(changes.flatMap(({ path, after }) => (after === undefined ? [] : [[path, after] as const])));
}

interface Expected {
  readonly now: string;
  readonly tree: string;
  readonly plan: RestorePlan;
  readonly limits: CallLimits;
}

/**
 * Looks again: a tree that is not what was asked for must not be called restored. Returns what only the rules of before
 * have left out: no one has touched it.
 */
async function checkRestored(
  { shadow, snapshot }: Restorer,
  { now, tree, plan, limits }: Expected,
): Promise<readonly PathBytes[]> {
  const after = await snapshot('after a restore');
  const left = new Set([...plan.notKept, ...plan.ignored]);
  const differing = (await entryChanges(shadow, after.tree, tree, limits)).filter(({ path }) => !left.has(path));
  if (differing.length === 0) return [];
  const known = await everyPath(shadow, now, limits);
  const appeared = differing.filter((change) => change.after === undefined && !known.has(change.path));
  const wrong = differing.filter((change) => !appeared.includes(change));
  const [first] = wrong;
  if (first === undefined) return appeared.map(({ path }) => path);
  const name = shownFrom(folderOf(shadow), first.path);
  const others = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`;
  throw new GitFailed(`${name}${others} changed meanwhile: is another program writing here?`);
}
