import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { type Disk, onDisk, statOf, NODE_DISK, makeFolder, type Place, folderOf, namesIn } from './disk.js';
import { decodeTime, ulid } from 'ulid';
import { ConfigError, messageOf } from '../model/errors.js';
import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';

export const JOURNAL_NAME = 'journal.jsonl';
export const SNAPSHOT_NAME = 'state.json';
export const RESERVE_NAME = 'reserve';
export const LOCK_NAME = 'lock';

/** Where everything of one run is. */
export interface RunPlaces {
  readonly runId: string;
  /** The real path of the working directory. */
  readonly workingDir: string;
  /** The folder of the record. */
  readonly record: Place;
  /** The folder in the working directory that has links to it; undefined where the record itself is there. */
  readonly links?: Place | undefined;
  /** Why the record is in the working directory although nobody asked for that. */
  readonly warning?: string | undefined;
  /** Where the lock of the working tree is kept, under either name. */
  readonly tree: Place;
  readonly secondTree: Place;
}

/** `records` is where a record that does not exist yet is to be; by default the state home, if it can hold it. */
export function findRunPlaces(
  workingDir: string,
  runId: string,
  environment: Environment,
  records?: RecordsPlace,
): RunPlaces {
  checkRunId(runId);
  const real = realWorkingDir(workingDir);
  const inProject: Place = { base: real, segments: [...PROJECT_RUNS, runId] };
  const inHome: Place = { ...homeRuns(environment), segments: [...HOME_RUNS, runId] };
  const secondHome = findSecondHome(real, environment);
  // Version 0.1 kept a record in the project, and a second name of each file in the second home.
  const old: Place = { ...secondHome.runs, segments: [...secondHome.runs.segments, runId] };
  const recorded = [inHome, inProject, old].find((place) => holdsRecord(folderOf(place))) ?? linkedPlace(inProject);
  const chosen = recorded === undefined ? choosePlace(real, environment, records) : undefined;
  const record = recorded ?? (chosen?.records === 'project' ? inProject : inHome);
  return {
    runId,
    workingDir: real,
    record,
    links: record === inProject ? undefined : inProject,
    warning: chosen?.warning,
    tree: { base: real, segments: ['.ralph'] },
    secondTree: secondHome.tree,
  };
}

const PROJECT_RUNS = ['.ralph', 'runs'];
const HOME_RUNS = ['pawl', 'runs'];

/** Where a working directory has a folder per run: of links to its record, or the record itself. */
export function projectRuns(workingDir: string): string {
  return join(workingDir, ...PROJECT_RUNS);
}

/** Where the outputs of a pipeline wait for their approval: in the working directory, because a sandbox lets its agents write only there. */
export function itemsFolder(runId: string, workingDir: string): string {
  return join(projectRuns(realWorkingDir(workingDir)), runId, 'items');
}

/** The folder that holds the records of the user's runs. */
export function homeRuns(environment: Environment): Place {
  return { base: stateHome(environment), segments: HOME_RUNS, makesBase: true };
}

/** Whether a folder has a record itself, and not links to one. */
export function holdsRecord(folder: string): boolean {
  const found = (path: string) => lstatSync(path, { throwIfNoEntry: false });
  try {
    if (found(folder)?.isDirectory() !== true) return false;
    const files = [JOURNAL_NAME, SNAPSHOT_NAME].flatMap((name) => found(join(folder, name)) ?? []);
    return files.some((file) => !file.isSymbolicLink());
  } catch {
    return false;
  }
}

function linkedPlace(inProject: Place): Place | undefined {
  const folder = linkedRecord(folderOf(inProject));
  return folder === undefined ? undefined : { base: folder, segments: [] };
}

/** The record that the links of a folder lead to, such as one in the state home of an earlier `XDG_STATE_HOME`. Only the user's own. */
export function linkedRecord(links: string): string | undefined {
  const path = linkTarget(join(links, JOURNAL_NAME));
  if (path === undefined || !isAbsolute(path) || basename(path) !== JOURNAL_NAME) return undefined;
  const folder = dirname(path);
  if (basename(folder) !== basename(links) || !holdsRecord(folder)) return undefined;
  const own = process.getuid?.();
  return own === 0 || lstatSync(folder).uid === own ? folder : undefined;
}

/** The journal itself, where a path is the link to it in a working directory. */
export function ownLink(path: string): string {
  const folder = basename(path) === JOURNAL_NAME ? linkedRecord(dirname(path)) : undefined;
  return folder === undefined ? path : join(folder, JOURNAL_NAME);
}

/** Where a link leads; undefined for anything else. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** `home`: in the user's state home, out of the way of what an agent does to its working directory. */
export type RecordsPlace = 'home' | 'project';

interface ChosenPlace {
  readonly records: RecordsPlace;
  readonly warning?: string | undefined;
}

function choosePlace(workingDir: string, environment: Environment, records: RecordsPlace | undefined): ChosenPlace {
  if (records !== undefined) return { records };
  // A CI job keeps its workspace, if anything.
  if (!['', '0', 'false', undefined].includes(environment['CI'])) return { records: 'project' };
  const inProject = (why: string): ChosenPlace => ({
    records: 'project',
    warning: `${why}, so the record is kept in ${projectRuns(workingDir)}, where the agent can reach it`,
  });
  try {
    const folder = nearestFolder(folderOf(homeRuns(environment)));
    accessSync(folder, constants.W_OK | constants.X_OK);
    return isShortLived(folder, workingDir)
      ? inProject(`${stateHome(environment)} is lost when this container or session ends`)
      : { records: 'home' };
  } catch (error) {
    return inProject(`${stateHome(environment)} cannot be used (${messageOf(error)})`);
  }
}

/** The folder itself, or the one in which it would be made. */
function nearestFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  return nearestFolder(dirname(folder));
}

/** The top layer of a container, and memory: what is there is lost long before the project is. */
const SHORT_LIVED: ReadonlySet<number> = new Set([0x794c7630, 0x01021994, 0x858458f6]);

function isShortLived(folder: string, workingDir: string): boolean {
  return SHORT_LIVED.has(statfsSync(folder).type) && statSync(folder).dev !== statSync(workingDir).dev;
}

export function realWorkingDir(workingDir: string): string {
  return onDisk('find the working directory', workingDir, () => realpathSync(workingDir));
}

/** The working directory was removed. */
export function isGone(disk: Disk, { workingDir }: RunPlaces): boolean {
  try {
    return statOf(disk, workingDir) === undefined;
  } catch {
    return false;
  }
}

export function journalPathOf(places: RunPlaces): string {
  return join(folderOf(places.record), JOURNAL_NAME);
}

let lastIdMs = 0;
const RUN_ID = /^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/;

/** A new id; ids made later sort later, and no two of a process begin with the same time: its beginning names a run. */
export function newRunId(kind: 'loop' | 'pipe' | 'agent' = 'loop'): string {
  const id = ulid();
  const nowMs = decodeTime(id);
  lastIdMs = Math.max(nowMs, lastIdMs + 1);
  return `${kind}_${lastIdMs === nowMs ? id : ulid(lastIdMs)}`;
}

/** An id for a run of an earlier time, among those of that time. */
export function importedRunId(startedMs: number): string {
  // ULID takes 0 for now.
  return `imported_${ulid(Math.max(1, startedMs))}`;
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** An id from outside becomes part of a path: nothing but an id may. */
export function checkRunId(text: string): string {
  if (!isRunId(text)) {
    throw new ConfigError([
      {
        path: '',
        message: `${JSON.stringify(text)} is not the id of a run (loop_, pipe_, agent_ or imported_ and a ULID)`,
      },
    ]);
  }
  return text;
}

/**
 * Where a tree's lock has its second name, out of reach of `git clean` and `rm -rf .ralph`: in the repository's common
 * folder, or in the user's state folder outside git.
 */
interface SecondHome {
  /** Where version 0.1 had a folder per run. Work trees of one repository share it. */
  readonly runs: Place;
  /** Holds what belongs to this working directory only. */
  readonly tree: Place;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `workingDir` is a real path. */
export function findSecondHome(workingDir: string, environment: Environment): SecondHome {
  const git = findGit(workingDir);
  if (git !== undefined) {
    return {
      runs: { base: git.commonDir, segments: ['pawl', 'runs'] },
      // Of the whole work tree: a run in one of its folders sees what a run in another one changes.
      tree: { base: git.commonDir, segments: ['pawl', 'trees', hashOf(git.workTree)] },
    };
  }
  const hash = hashOf(workingDir);
  const base = stateHome(environment);
  return {
    runs: { base, segments: ['pawl', hash, 'runs'], makesBase: true },
    tree: { base, segments: ['pawl', hash], makesBase: true },
  };
}

/** `$XDG_STATE_HOME`, or what represents it. */
export function stateHome(environment: Environment): string {
  const configured = environment['XDG_STATE_HOME'];
  // A relative path is to be ignored, says the XDG specification.
  if (configured !== undefined && isAbsolute(configured)) return configured;
  const home = environment['HOME'];
  return join(home !== undefined && isAbsolute(home) ? home : userInfo().homedir, '.local', 'state');
}

/** The folder that holds the records of imported runs, in the way of a working directory. */
export function importedPlace(environment: Environment): Place {
  return { base: stateHome(environment), segments: ['pawl', 'imported'], makesBase: true };
}

/** The same where something has been imported. */
export function importedFolder(environment: Environment): string | undefined {
  const folder = folderOf(importedPlace(environment));
  return existsSync(folder) ? folder : undefined;
}

export interface Git {
  /** The top of the work tree. */
  readonly workTree: string;
  /** The `.git` folder of this work tree. */
  readonly gitDir: string;
  /** The `.git` folder that all work trees of the repository share. */
  readonly commonDir: string;
}

/** Reads files only: nothing of the tree is executed. */
export function findGit(from: string): Git | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const gitDir = gitDirAt(join(folder, '.git'));
    if (gitDir !== undefined) return { workTree: folder, gitDir, commonDir: commonDirOf(gitDir) };
    if (folder === dirname(folder)) return undefined;
  }
}

export function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

/** `.git` is a folder, or a file that says where the folder is (a linked work tree, a submodule). */
function gitDirAt(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return isFile(join(path, 'HEAD')) ? realpathSync(path) : undefined;
    // Anything else would be read for ever.
    if (!isFile(path)) return undefined;
    const target = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(path, 'utf8'))?.[1];
    if (target === undefined) return undefined;
    const gitDir = resolve(dirname(path), target);
    return isFile(join(gitDir, 'HEAD')) ? realpathSync(gitDir) : undefined;
  } catch {
    return undefined;
  }
}

function commonDirOf(gitDir: string): string {
  const file = join(gitDir, 'commondir');
  try {
    return isFile(file) ? realpathSync(resolve(gitDir, readFileSync(file, 'utf8').trim())) : gitDir;
  } catch {
    return gitDir;
  }
}

function isFile(path: string): boolean {
  return statSync(path).isFile();
}

/** Where a project is noted: a small file each, so that runs that start at once do not meet. */
const SEGMENTS = ['pawl', 'projects'];

/** Remembers a folder in which the user has a run. Throws when that cannot be done. */
export function noteProject(workingDir: string, environment: Environment): void {
  const base = stateHome(environment);
  const name = hashOf(workingDir);
  const path = join(base, ...SEGMENTS, name);
  if (existsSync(path)) return;
  const folder = makeFolder(NODE_DISK, { base, segments: SEGMENTS, makesBase: true }, 'refuse');
  const draft = join(folder, `.${name}-${process.pid}`);
  writeFileSync(draft, `${workingDir}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** The folders in which the user has had runs, as far as they are still there. */
export function knownProjects(environment: Environment): readonly string[] {
  return notedProjects(environment).filter((path) => existsSync(path));
}

/** The folders in which the user has had runs, of which some may be gone. None of them is inspected. */
export function notedProjects(environment: Environment): readonly string[] {
  const folder = join(stateHome(environment), ...SEGMENTS);
  return namesIn(folder)
    .flatMap((name) => (name.startsWith('.') ? [] : pathIn(join(folder, name))))
    .sort();
}

function pathIn(file: string): readonly string[] {
  try {
    const path = readFileSync(file, 'utf8').replace(/\n$/, '');
    return isAbsolute(path) ? [path] : [];
  } catch {
    return [];
  }
}
