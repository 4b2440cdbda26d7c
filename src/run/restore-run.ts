import { type ListedRun, listRuns, locateRun } from '../journal/list-runs.js';
import { openFileJournal } from '../journal/open-file-journal.js';
import { readJournal } from '../journal/read-journal.js';
import type { Environment } from '../journal/run-places.js';
import { deathIn, reapCrashed } from '../iteration/end-crashed.js';
import { ConfigError, PawlError } from '../model/errors.js';
import type { EventBodies } from '../model/run-event.js';
import { greenTree, type RecordedTrees, readTrees } from './recorded-trees.js';
import {
  openFileTracker,
  type Restored,
  type RestoreRefused,
  type RestoreRequest,
} from '../observation/files/file-tracker.js';
import { writeTree, type WrittenTree } from '../observation/files/write-tree.js';
import type { TrackedRun } from '../observation/files/snapshot-taker.js';

/**
 * After an iteration (0: before the first), as it was before the last restore, a tree that the run has recorded, or when the
 * agent's tests were green last in an iteration.
 */
export type RestoreTarget = number | 'before-restore' | { readonly tree: string } | { readonly green: number };

export type RestoreOutcome = Restored | RestoreRefused;

export interface RestoreOptions {
  readonly workingDir: string;
  /** An id or the beginning of one; the latest run when it is left out. */
  readonly run?: string | undefined;
  readonly to: RestoreTarget;
  /** Replace also what no run has recorded. */
  readonly force?: boolean | undefined;
  readonly environment: Environment;
}

/** Of other runs in the same tree so many are inspected. */
const MOST_OTHER_RUNS = 50;
const MOST_OWN_TREES = 200;

/**
 * Puts the working tree back to how it was, and records that in the run. Throws ConfigError when there is no such run,
 * iteration or snapshot, and LockedError while a run is at work in the tree.
 */
export async function restoreRun(options: RestoreOptions): Promise<RestoreOutcome> {
  const { to, force = false, environment } = options;
  const { runId, workingDir, journalPath } = locateRun(options.workingDir, options.run, environment);
  const trees = await readTrees(readJournal(journalPath, { onTorn: () => undefined }));
  const tree = treeFor(runId, trees, to);
  const journal = openFileJournal({ workingDir, runId, environment });
  try {
    const { left } = await reapCrashed(runId, deathIn(journal.state));
    if (left.length > 0)
      throw new PawlError('InvalidState', `processes of ${runId} are still at work and cannot be ended`);
    const others = listRuns(options.workingDir, environment).toReversed();
    const outcome = await restoreFiles(
      { workingDir, runId, environment },
      {
        tree,
        recorded: [...trees.newestFirst.slice(0, MOST_OWN_TREES), ...lastTrees(others, runId)],
        force,
        onCheckpoint(before) {
          journal.append({ type: 'tree-restored', tree, before, ...recordedTarget(to) }, journal.state.activeMs);
        },
      },
    );
    if ('error' in outcome) throw new PawlError('FileSystemError', `the tree is not restored: ${outcome.error}`);
    return outcome;
  } finally {
    await journal.close();
  }
}

export interface RestoreIntoOptions extends Pick<RestoreOptions, 'environment'> {
  readonly run: Pick<ListedRun, 'runId' | 'workingDir' | 'journalPath'>;
  /** The last snapshot when it is left out. */
  readonly to?: RestoreTarget | undefined;
  readonly into: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the files of a run into another folder, also when its own is gone. Nothing is recorded, and a live run is not
 * disturbed. Throws ConfigError when there is no such snapshot, or the folder is in use.
 */
export async function restoreInto({ run, to, into, environment, signal }: RestoreIntoOptions): Promise<RestoredInto> {
  const { runId, workingDir, journalPath } = run;
  const trees = await readTrees(readJournal(journalPath, { onTorn: () => undefined }));
  const tree = to === undefined ? trees.newestFirst[0] : treeFor(runId, trees, to);
  if (tree === undefined) throw refused(`${runId} has no snapshots: its files were not tracked`);
  return { tree, ...(await writeTree({ tree, workingDir, into, environment, signal })) };
}

export interface RestoredInto extends WrittenTree {
  readonly tree: string;
}

function recordedTarget(to: RestoreTarget): Pick<EventBodies['tree-restored'], 'iteration' | 'greenIn' | 'undoes'> {
  if (typeof to === 'number') return { iteration: to };
  if (to === 'before-restore') return { undoes: true };
  return 'green' in to ? { greenIn: to.green } : {};
}

function treeFor(runId: string, trees: RecordedTrees, to: RestoreTarget): string {
  if (to === 'before-restore') {
    const before = trees.beforeRestores.at(-1);
    if (before !== undefined) return before;
    throw refused(`${runId} has no restore that is not undone`);
  }
  if (typeof to === 'object')
    return 'green' in to ? greenTree(runId, trees, to.green) : treeNamed(runId, trees, to.tree);
  const tree = trees.afterIteration.get(to);
  if (tree !== undefined) return tree;
  if (trees.afterIteration.size === 0) throw refused(`${runId} has no snapshots: its files were not tracked`);
  const known = [...trees.afterIteration.keys()];
  const range = `there are snapshots of ${Math.min(...known)} to ${Math.max(...known)}`;
  const what = to > trees.iterations ? `no iteration ${to}` : `no snapshot of iteration ${to}`;
  throw refused(`${runId} has ${what}; ${range}`);
}

/** By the beginning of its name, as a message has told it. */
function treeNamed(runId: string, { newestFirst }: RecordedTrees, name: string): string {
  const found = /^[0-9a-f]{7,40}$/.test(name) ? newestFirst.filter((tree) => tree.startsWith(name)) : [];
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  throw refused(`${runId} has recorded no snapshot ${JSON.stringify(name)}`);
}

function lastTrees(runs: readonly ListedRun[], runId: string): readonly string[] {
  return runs
    .filter((run) => run.runId !== runId)
    .slice(0, MOST_OTHER_RUNS)
    .flatMap(({ snapshot }) => [snapshot?.state?.restoredTree ?? [], snapshot?.state?.trees.at(-1) ?? []].flat());
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

export type { Restored, RestoreRefused };

/** Puts the working tree of a run back. The caller holds the lock of the tree. Never rejects. */
function restoreFiles(
  run: TrackedRun,
  request: RestoreRequest,
): Promise<Restored | RestoreRefused | { readonly error: string }> {
  return openFileTracker(run).restore(request);
}
