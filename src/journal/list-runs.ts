import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
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
  holdsRecord,
  linkedRecord,
  linkTarget,
  homeRuns,
  projectRuns,
} from './run-places.js';
import { notedFolders, notedRuns, wasMovedHere } from './noted-runs.js';
import { readSnapshot, type SnapshotPlace, type StoredSnapshot } from './snapshot.js';

/** Of those that an id could be. */
const MOST_NAMED = 5;
const SHORTEST_END = 4;

/** A run of a working directory, known from its `state.json` alone. */
export interface ListedRun<S extends SnapshotPlace = StoredSnapshot> {
  readonly runId: string;
  /** Where it took place: here, or in a worktree that was made for it. */
  readonly workingDir: string;
  /** The folder of its record. */
  readonly folder: string;
  readonly journalPath: string;
  /** The record is in the working directory itself. */
  readonly isInProject: boolean;
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
  /** Where the run took place, if it is one of this folder. */
  const placeOf = (run: FoundRun<S>) => {
    const worktree = worktreeOf(run);
    const recorded = run.snapshot?.workingDir;
    if (worktree !== undefined || recorded === undefined || recorded === real) return worktree ?? real;
    if (existsSync(recorded)) return undefined;
    return wasMovedHere(run.runId, real, git, environment) ? real : undefined;
  };
  const found = new Map<string, Omit<ListedRun<S>, 'holder'>>();
  const add = (recorded: RecordedIn, placeIn: (run: FoundRun<S>) => string | undefined) => {
    for (const [runId, folder] of recorded) {
      if (found.has(runId) || !isWanted(runId)) continue;
      const run = runIn(read, folder, runId);
      const place = run && placeIn(run);
      if (run !== undefined && place !== undefined) found.set(runId, { ...run, workingDir: place });
    }
  };
  const [, ...others] = treesOf(real, git);
  add(recordsIn(real, environment, isWanted), (run) => worktreeOf(run) ?? originalOf(run, real) ?? real);
  for (const folder of others) add(recordsIn(folder, environment, isWanted), worktreeOf);
  add(notedRecords(real, git, environment), placeOf);
  // Version 0.1 had the record under a second name there.
  add(recordsUnder(folderOf(findSecondHome(real, environment).runs)), placeOf);
  const holdersOf = holdersByFolder(environment);
  return [...found.values()]
    .map((run) => ({ ...run, holder: holdersOf(run.workingDir).find(({ runId }) => runId === run.runId) }))
    .sort((a, b) => byTime(a.runId, b.runId));
}

type FoundRun<S extends SnapshotPlace> = Omit<ListedRun<S>, 'workingDir' | 'holder'>;
type ReadSnapshot<S> = (path: string) => S | undefined;
/** The ids of runs and the folders of their records. */
type RecordedIn = Iterable<readonly [runId: string, folder: string]>;

/** A run whose links were copied with its folder is still the run of the original. */
function originalOf<S extends SnapshotPlace>(
  { runId, snapshot, isInProject }: FoundRun<S>,
  real: string,
): string | undefined {
  const place = snapshot?.workingDir;
  if (isInProject || place === undefined || place === real) return undefined;
  return statOf(NODE_DISK, join(projectRuns(place), runId)) === undefined ? undefined : place;
}

/** The records of a working directory: those that it has links to, and those that are in it. No link is followed. */
export function* recordsIn(
  workingDir: string,
  environment: Environment,
  isWanted: (runId: string) => boolean = () => true,
): Generator<readonly [string, string]> {
  const [project, home] = [projectRuns(workingDir), folderOf(homeRuns(environment))];
  for (const name of runNamesIn(project)) {
    const folder = isWanted(name) ? recordAt(join(home, name), join(project, name)) : undefined;
    if (folder !== undefined) yield [name, folder];
  }
}

function recordAt(inHome: string, inProject: string): string | undefined {
  if (statOf(NODE_DISK, inHome)?.isDirectory() === true) return inHome;
  return holdsRecord(inProject) ? inProject : linkedRecord(inProject);
}

export function recordsUnder(folder: string): RecordedIn {
  return runNamesIn(folder).map((name) => [name, join(folder, name)]);
}

/** The records of runs that are noted for a working directory, or for its repository. */
export function* notedRecords(
  real: string,
  git: Git | undefined,
  environment: Environment,
): Generator<readonly [string, string]> {
  const home = folderOf(homeRuns(environment));
  for (const runId of notedRuns(real, git, environment)) yield [runId, join(home, runId)];
}

/** Runs of a working directory that has links to them, while their records are not in the user's state home. */
export function recordsElsewhere(workingDir: string, environment: Environment): readonly RecordElsewhere[] {
  const real = realWorkingDir(workingDir);
  const known = new Set([...recordsIn(real, environment)].map(([runId]) => runId));
  return runNamesIn(projectRuns(real)).flatMap((runId) => {
    const target = known.has(runId) ? undefined : linkTarget(join(projectRuns(real), runId, JOURNAL_NAME));
    return target === undefined ? [] : [{ runId, folder: dirname(target) }];
  });
}

export interface RecordElsewhere {
  readonly runId: string;
  /** Where its links lead. */
  readonly folder: string;
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
  const folders = trees.flatMap((tree) => [join(tree, '.ralph'), projectRuns(tree)]);
  return [...folders, ...notedFolders(real, findGit(real), environment), folderOf(runs), folderOf(locks)]
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
  const git = findGit(real);
  const folders = treesOf(real, git).map(projectRuns);
  const named = [...folders, folderOf(findSecondHome(real, environment).runs)].flatMap(runNamesIn);
  return [...new Set([...named, ...notedRuns(real, git, environment)])].sort(byTime);
}

/** The run that is meant by an id, the beginning or the end of one, or nothing for the latest. Reads no other run. */
export function locateRun(workingDir: string, reference: string | undefined, environment: Environment): ListedRun {
  const matching =
    reference === undefined
      ? [latestRun(workingDir, environment)].filter((run) => run !== undefined)
      : listRunsBy(readSnapshot, workingDir, environment, (runId) => isMeant(reference, runId));
  const [only, ...others] = matching;
  if (only !== undefined && others.length === 0) return only;
  const unreadable =
    matching.length === 0
      ? (whyRunsUnreadable(workingDir) ?? whyElsewhere(workingDir, reference, environment))
      : undefined;
  const why = () => whyNotOne(workingDir, reference, matching, listRunIds(workingDir, environment));
  throw new ConfigError([{ path: '', message: unreadable ?? why() }]);
}

/** The runs in the state home whose folder is gone, oldest first. */
export function listRunsOfGoneFolders(
  environment: Environment,
  isKnown: (runId: string) => boolean,
): readonly ListedRun[] {
  const home = folderOf(homeRuns(environment));
  return runNamesIn(home)
    .filter((runId) => !isKnown(runId))
    .toSorted(byTime)
    .flatMap((runId) => {
      const run = runIn(readSnapshot, join(home, runId), runId);
      const workingDir = run?.snapshot?.workingDir;
      return run === undefined || workingDir === undefined || existsSync(workingDir) ? [] : [{ ...run, workingDir }];
    });
}

/** The same, of any folder of the user's when this one has no such run: the folder of a run may be gone. */
export function locateAnywhere(
  workingDir: string,
  reference: string | undefined,
  environment: Environment,
): Pick<ListedRun, 'runId' | 'workingDir' | 'folder' | 'journalPath'> {
  if (reference === undefined || hasRun(workingDir, reference, environment))
    return locateRun(workingDir, reference, environment);
  const home = folderOf(homeRuns(environment));
  const ids = runNamesIn(home).filter((runId) => isMeant(reference, runId));
  const [runId, ...others] = ids;
  const run = runId === undefined || others.length > 0 ? undefined : runIn(readSnapshot, join(home, runId), runId);
  if (run !== undefined) return { ...run, workingDir: run.snapshot?.workingDir ?? workingDir };
  const why =
    others.length > 0
      ? couldBe(reference, ids)
      : `there is no run ${JSON.stringify(reference)} in ${workingDir} or in ${home}`;
  throw new ConfigError([{ path: '', message: why }]);
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

/** A folder that was copied from another machine has links, and no records. */
function whyElsewhere(workingDir: string, reference: string | undefined, environment: Environment): string | undefined {
  const away = recordsElsewhere(workingDir, environment).filter(
    ({ runId }) => reference === undefined || isMeant(reference, runId),
  );
  return away.length === 0 ? undefined : elsewhereText(away, workingDir);
}

/** What is known of records that are not on this machine. */
export function elsewhereText(away: readonly RecordElsewhere[], workingDir: string): string {
  const [{ runId, folder } = { runId: '', folder: '' }] = away;
  const what = away.length === 1 ? `the record of ${runId} is` : `the records of ${away.length} runs are`;
  const where = away.length === 1 ? folder : dirname(folder);
  return `${what} not here: ${workingDir} has links to ${where}, of another machine, user or XDG_STATE_HOME`;
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
  return couldBe(
    reference,
    matching.map(({ runId }) => runId),
  );
}

function couldBe(reference: string, ids: readonly string[]): string {
  const named = ids.slice(-MOST_NAMED);
  const others = ids.length > named.length ? ` and ${ids.length - named.length} more` : '';
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

function runIn<S extends SnapshotPlace>(read: ReadSnapshot<S>, folder: string, runId: string): FoundRun<S> | undefined {
  const journalPath = join(folder, JOURNAL_NAME);
  const snapshot = read(join(folder, SNAPSHOT_NAME));
  if (snapshot === undefined && statOf(NODE_DISK, journalPath)?.isFile() !== true) return undefined;
  return { runId, folder, journalPath, isInProject: dirname(folder).endsWith(PROJECT_END), snapshot };
}

const PROJECT_END = join(sep, '.ralph', 'runs');

function runNamesIn(folder: string): readonly string[] {
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
  const folder = projectRuns(workingDir);
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
