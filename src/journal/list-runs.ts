import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, dirname, relative, resolve, sep } from 'node:path';
import { ConfigError, messageOf } from '../model/errors.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { errnoOf, namesIn, NODE_DISK, statOf, folderOf } from './disk.js';
import { findHolders } from './find-holders.js';
import type { LockHolder } from './lock.js';
import {
  isRunId,
  JOURNAL_NAME,
  realWorkingDir,
  SNAPSHOT_NAME,
  type Environment,
  findGit,
  findSecondHome,
  type Git,
} from './run-places.js';
import { readSnapshot, type SnapshotPlace, type StoredSnapshot } from './snapshot.js';

/** Of those that an id could be. */
const MOST_NAMED = 5;
const SHORTEST_END = 4;

/** A run of a working directory, known from its `state.json` alone. */
export interface ListedRun<S extends SnapshotPlace = StoredSnapshot> {
  readonly runId: string;
  /** Where it took place: here, or in a worktree that was made for it. */
  readonly workingDir: string;
  /** Where its files are now. */
  readonly folder: string;
  readonly journalPath: string;
  /** Only the second names are left. Opening the run puts the first ones back. */
  readonly removed: boolean;
  /** Undefined when it is missing or damaged: the journal still tells. */
  readonly snapshot?: S | undefined;
  /** Who writes it at the moment. */
  readonly holder?: LockHolder | undefined;
}

/** All runs of a working directory and of the worktrees made for it, oldest first. Opens no journal. */
export function listRuns(workingDir: string, environment: Environment): readonly ListedRun[] {
  return listRunsBy(readSnapshot, workingDir, environment);
}

/** The same for who reads, or remembers, each `state.json` in a way of their own, of those runs that are wanted. */
export function listRunsBy<S extends SnapshotPlace>(
  read: ReadSnapshot<S>,
  workingDir: string,
  environment: Environment,
  isWanted: (runId: string) => boolean = () => true,
): readonly ListedRun<S>[] {
  const real = realWorkingDir(workingDir);
  const git = findGit(real);
  /** The worktree of ours that a run took place in. */
  const worktreeOf = ({ snapshot }: FoundRun<S>) =>
    git !== undefined && snapshot !== undefined && isOfWorktree(snapshot, real, git.workTree)
      ? snapshot.workingDir
      : undefined;
  const isOurs = (run: FoundRun<S>) => worktreeOf(run) !== undefined;
  const found = new Map<string, FoundRun<S>>();
  const add = (runs: readonly FoundRun<S>[]) => {
    for (const run of runs) found.set(run.runId, run);
  };
  // What was found is not read again under its second name.
  const runsIn = (folder: string, removed: boolean) =>
    runFoldersIn(folder)
      .filter((runId) => !found.has(runId) && isWanted(runId))
      .flatMap((runId) => runIn(read, join(folder, runId), runId, removed) ?? []);
  add(runsIn(join(real, '.ralph', 'runs'), false));
  const [, ...others] = treesOf(real, git);
  for (const folder of others) {
    add(runsIn(join(folder, '.ralph', 'runs'), false).filter(isOurs));
  }
  const second = runsIn(folderOf(findSecondHome(real, environment).runs), true);
  // Work trees of one repository share the second home.
  add(second.filter((run) => run.snapshot === undefined || run.snapshot.workingDir === real));
  add(second.filter(isOurs).map((run) => underFirstName(read, run) ?? run));
  const holdersOf = holdersByFolder(environment);
  return [...found.values()]
    .map((run) => {
      const place = worktreeOf(run) ?? real;
      return { ...run, workingDir: place, holder: holdersOf(place).find(({ runId }) => runId === run.runId) };
    })
    .sort((a, b) => byTime(a.runId, b.runId));
}

type FoundRun<S extends SnapshotPlace> = Omit<ListedRun<S>, 'workingDir' | 'holder'>;
type ReadSnapshot<S> = (path: string) => S | undefined;

function underFirstName<S extends SnapshotPlace>(
  read: ReadSnapshot<S>,
  { runId, snapshot }: FoundRun<S>,
): FoundRun<S> | undefined {
  return snapshot && runIn(read, join(snapshot.workingDir, '.ralph', 'runs', runId), runId, false);
}

function holdersByFolder(environment: Environment): (folder: string) => readonly LockHolder[] {
  const known = new Map<string, readonly LockHolder[]>();
  return (folder) => {
    const holders = known.get(folder) ?? holdersIn(folder, environment);
    known.set(folder, holders);
    return holders;
  };
}

/** A worktree may be gone while its runs are still known. */
function holdersIn(folder: string, environment: Environment): readonly LockHolder[] {
  return statOf(NODE_DISK, folder) === undefined ? [] : findHolders(folder, environment);
}

/**
 * Changes when a run of a working directory starts, resumes, ends or is deleted: each of these adds a name to a folder or
 * removes one. Undefined while a run is being written. Opens no run.
 */
export function idleStamp(workingDir: string, environment: Environment): string | undefined {
  const real = realWorkingDir(workingDir);
  const trees = treesOf(real, findGit(real));
  if (trees.some((tree) => holdersIn(tree, environment).length > 0)) return undefined;
  const { runs, tree: locks } = findSecondHome(real, environment);
  const folders = trees.flatMap((tree) => [join(tree, '.ralph'), join(tree, '.ralph', 'runs')]);
  return [...folders, folderOf(runs), folderOf(locks)]
    .map((folder) => {
      const { ino, mtimeMs } = statOf(NODE_DISK, folder) ?? {};
      return `${folder} ${ino} ${mtimeMs}`;
    })
    .join('\n');
}

/** A working directory and its counterparts in the other worktrees of its repository. */
function treesOf(real: string, git: Git | undefined): readonly string[] {
  return [real, ...(git === undefined ? [] : worktreeFolders(real, git))];
}

/** The ids of all runs that may be of a working directory, oldest first. Opens nothing. */
export function listRunIds(workingDir: string, environment: Environment): readonly string[] {
  const real = realWorkingDir(workingDir);
  const folders = treesOf(real, findGit(real)).map((folder) => join(folder, '.ralph', 'runs'));
  const ids = [...folders, folderOf(findSecondHome(real, environment).runs)].flatMap(runFoldersIn);
  return [...new Set(ids)].sort(byTime);
}

/** The run that is meant by an id, the beginning or the end of one, or nothing for the latest. Reads no other run. */
export function locateRun(workingDir: string, reference: string | undefined, environment: Environment): ListedRun {
  const matching =
    reference === undefined
      ? [latestRun(workingDir, environment)].filter((run) => run !== undefined)
      : listRunsBy(readSnapshot, workingDir, environment, (runId) => isMeant(reference, runId));
  const [only, ...others] = matching;
  if (only !== undefined && others.length === 0) return only;
  const unreadable = matching.length === 0 ? whyRunsUnreadable(workingDir) : undefined;
  const why = () => whyNotOne(workingDir, reference, matching, listRunIds(workingDir, environment));
  throw new ConfigError([{ path: '', message: unreadable ?? why() }]);
}

/** The latest run whose id begins with `kind`. Reads no other run, unless its id is of a run elsewhere that shares a place with ours. */
export function latestRun(workingDir: string, environment: Environment, kind = ''): ListedRun | undefined {
  for (const id of listRunIds(workingDir, environment).toReversed()) {
    if (!id.startsWith(kind)) continue;
    const [found] = listRunsBy(readSnapshot, workingDir, environment, (runId) => runId === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a folder has a run, or several, that a reference can mean. */
export function hasRun(workingDir: string, reference: string, environment: Environment): boolean {
  return listRunsBy(readSnapshot, workingDir, environment, (runId) => isMeant(reference, runId)).length > 0;
}

function whyNotOne(
  workingDir: string,
  reference: string | undefined,
  matching: readonly ListedRun[],
  ids: readonly string[],
): string {
  if (reference === undefined) return `there is no run in ${workingDir}`;
  if (/^[a-z]*_?$/i.test(reference) && ids.some((runId) => runId.startsWith(reference.toLowerCase()))) {
    return `${JSON.stringify(reference)} is too short to identify a run: give more of the id, or nothing for the latest run`;
  }
  if (matching.length === 0) return `there is no run ${JSON.stringify(reference)} in ${workingDir}`;
  const named = matching.slice(-MOST_NAMED).map((run) => run.runId);
  const others = matching.length > named.length ? ` and ${matching.length - named.length} more` : '';
  return `${JSON.stringify(reference)} could be ${named.join(', ')}${others}`;
}

/** Runs that were submitted together begin alike: the end of an id names one, too. */
function isMeant(reference: string, runId: string): boolean {
  const isEnd = reference.length >= SHORTEST_END && runId.toLowerCase().endsWith(reference.toLowerCase());
  return isEnd || isBeginningOf(reference, runId);
}

/** With or without `loop_`, in either case of letters. */
function isBeginningOf(reference: string, runId: string): boolean {
  const wanted = reference.toLowerCase();
  const id = runId.toLowerCase();
  const kind = id.slice(0, id.indexOf('_') + 1);
  // What all ids have in common names none.
  if (kind.startsWith(wanted)) return false;
  return id.startsWith(wanted) || id.slice(kind.length).startsWith(wanted);
}

function runIn<S extends SnapshotPlace>(
  read: ReadSnapshot<S>,
  folder: string,
  runId: string,
  removed: boolean,
): FoundRun<S> | undefined {
  const journalPath = join(folder, JOURNAL_NAME);
  const snapshot = read(join(folder, SNAPSHOT_NAME));
  if (snapshot === undefined && statOf(NODE_DISK, journalPath)?.isFile() !== true) return undefined;
  return { runId, folder, journalPath, removed, snapshot };
}

export function runFoldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isRunId(entry.name))
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** A ULID begins with its time. */
function byTime(a: string, b: string): number {
  return ulidOf(a) < ulidOf(b) ? -1 : 1;
}

function ulidOf(runId: string): string {
  return runId.slice(runId.indexOf('_') + 1);
}

/** Why no one can say which runs a folder has; undefined when it can be said, also that there are none. */
export function whyRunsUnreadable(workingDir: string): string | undefined {
  const folder = join(workingDir, '.ralph', 'runs');
  try {
    readdirSync(folder);
    return undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    return systemErrorWords(`${folder} cannot be read: ${messageOf(error)}`);
  }
}

/** The counterparts of a folder in the other work trees of its repository. Reads files only. */
export function worktreeFolders(folder: string, { workTree, commonDir }: Git): readonly string[] {
  const records = join(commonDir, 'worktrees');
  return namesIn(records)
    .flatMap((name) => dotGitIn(join(records, name, 'gitdir')))
    .map((dotGit) => join(dirname(dotGit), relative(workTree, folder)))
    .filter((counterpart) => counterpart !== folder);
}

/** Whether a run took place in a worktree made from this work tree, in the folder's counterpart or below it. */
export function isOfWorktree({ spec, workingDir }: SnapshotPlace, folder: string, workTree: string): boolean {
  const worktree = spec?.worktree;
  if (worktree?.repository !== workTree) return false;
  const counterpart = join(worktree.path, relative(workTree, folder));
  return workingDir === counterpart || workingDir.startsWith(counterpart + sep);
}

function dotGitIn(path: string): readonly string[] {
  try {
    // Anything else would be read for ever.
    if (!statSync(path).isFile()) return [];
    return [resolve(dirname(path), readFileSync(path, 'utf8'))];
  } catch {
    return [];
  }
}
