import { realpathSync, readFileSync, statSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join, dirname, isAbsolute, resolve } from 'node:path';
import {
  type Disk,
  onDisk,
  statOf,
  NODE_DISK,
  makeFolder,
  type Place,
  folderOf,
  errnoOf,
  removeFile,
  moveAside,
  namesIn,
} from './disk.js';
import { decodeTime, ulid } from 'ulid';
import { ConfigError, messageOf } from '../model/errors.js';
import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Warnings } from './journal.js';

export const JOURNAL_NAME = 'journal.jsonl';
export const SNAPSHOT_NAME = 'state.json';
export const RESERVE_NAME = 'reserve';
export const LOCK_NAME = 'lock';

/** Where everything of one run is: each file under a first name and a second one. */
export interface RunPlaces {
  readonly runId: string;
  /** The real path of the working directory. */
  readonly workingDir: string;
  readonly first: Place;
  readonly second: Place;
  /** Where the lock of the working tree is kept, under either name. */
  readonly tree: Place;
  readonly secondTree: Place;
}

export function findRunPlaces(workingDir: string, runId: string, environment: Environment): RunPlaces {
  checkRunId(runId);
  const real = realWorkingDir(workingDir);
  const home = findSecondHome(real, environment);
  return {
    runId,
    workingDir: real,
    first: { base: real, segments: ['.ralph', 'runs', runId] },
    second: { ...home.runs, segments: [...home.runs.segments, runId] },
    tree: { base: real, segments: ['.ralph'] },
    secondTree: home.tree,
  };
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
  return join(folderOf(places.first), JOURNAL_NAME);
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
 * Where the second names of a tree's files are kept, out of reach of `git clean` and `rm -rf .ralph`: in the repository's
 * common folder, or in the user's state folder outside git.
 */
interface SecondHome {
  /** Holds a folder per run. Work trees of one repository share it. */
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

function hashOf(path: string): string {
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

/** Gives the files of a run their second names. A run without them continues: it is only less safe from its agent. */
export interface SecondNames {
  /** The second name of a file of the run folder, such as `journal.jsonl`. */
  pathOf(name: string): string;
  /** Links a file of the run folder to its second name, in place of whatever has that name. */
  link(name: string): void;
}

/** No link can ever be made between the two places. */
const HOPELESS: ReadonlySet<string | undefined> = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

export function createSecondNames(disk: Disk, places: RunPlaces, warnings: Warnings): SecondNames {
  const firstFolder = folderOf(places.first);
  const secondFolder = folderOf(places.second);
  let possible = true;

  const replace = (first: string, second: string): void => {
    const temp = `${second}.new`;
    removeFile(disk, temp);
    disk.linkSync(first, temp);
    if (statOf(disk, second)?.isDirectory() === true) moveAside(disk, second, 'foreign');
    disk.renameSync(temp, second);
  };

  return {
    pathOf: (name) => join(secondFolder, name),
    link(name) {
      if (!possible) return;
      const first = join(firstFolder, name);
      const second = join(secondFolder, name);
      try {
        if (statOf(disk, dirname(second)) === undefined) makeFolder(disk, places.second, 'move');
        replace(first, second);
      } catch (error) {
        possible = !HOPELESS.has(errnoOf(error));
        warnings.warn(`no second name for ${first} in ${secondFolder}: ${messageOf(error)}`);
      }
    },
  };
}
