import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errnoOf, folderOf, makeFolder, namesIn, NODE_DISK, type Place, removeFile } from './disk.js';
import { type Environment, findGit, type Git, hashOf, isRunId, stateHome } from './run-places.js';

/**
 * Which runs a project has, in the state home: `.ralph` may be deleted, and the project moved. Each run is noted under
 * the path of its folder, and under an id that its repository has in `.git`, which a move takes along.
 */
const SEGMENTS = ['pawl', 'index'];
/** The file in the common `.git` folder that has the id. */
const ID_FILE = ['pawl', 'project'];

/** What is noted of a run: its folder as seen from the top of the main work tree; empty where it was another tree. */
type NotedPlace = string;

/** Throws what the disk says. */
export function noteRun(runId: string, workingDir: string, environment: Environment): void {
  const git = findGit(workingDir);
  for (const place of placesOf(workingDir, environment, git && madeProjectId(git))) {
    const path = join(folderOf(place), runId);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    makeFolder(NODE_DISK, place, 'refuse');
    writeFileSync(path, `${placeInside(workingDir, git)}\n`, { mode: 0o600 });
  }
}

/** `workingDir` is a real path. */
export function forgetRun(runId: string, workingDir: string, environment: Environment): void {
  for (const folder of notedFolders(workingDir, findGit(workingDir), environment)) {
    removeFile(NODE_DISK, join(folder, runId));
  }
}

/** The folders in which the runs of a working directory are noted. */
export function notedFolders(workingDir: string, git: Git | undefined, environment: Environment): readonly string[] {
  return placesOf(workingDir, environment, git && projectId(git)).map(folderOf);
}

/** The ids of runs that may be of a working directory. Reads no file. */
export function notedRuns(workingDir: string, git: Git | undefined, environment: Environment): ReadonlySet<string> {
  return new Set(notedFolders(workingDir, git, environment).flatMap(namesIn).filter(isRunId));
}

/** Whether a run whose folder is gone took place in this folder, before the repository was moved here. */
export function wasMovedHere(
  runId: string,
  workingDir: string,
  git: Git | undefined,
  environment: Environment,
): boolean {
  const inside = placeInside(workingDir, git);
  if (inside === '') return false;
  return notedFolders(workingDir, git, environment).some((folder) => textOf(join(folder, runId)) === inside);
}

function placesOf(workingDir: string, environment: Environment, project: string | undefined): readonly Place[] {
  const keys = [hashOf(workingDir), ...(project === undefined ? [] : [project])];
  return keys.map((key) => ({ base: stateHome(environment), segments: [...SEGMENTS, key], makesBase: true }));
}

function placeInside(workingDir: string, git: Git | undefined): NotedPlace {
  if (git === undefined || git.gitDir !== git.commonDir) return '';
  const inside = relative(git.workTree, workingDir);
  return inside === '' ? '.' : inside;
}

function projectId(git: Git): string | undefined {
  const text = textOf(join(git.commonDir, ...ID_FILE));
  return text !== undefined && /^[0-9a-f]{32}$/.test(text) ? text : undefined;
}

/** Undefined where the repository cannot be written: the path of the folder has to do. */
function madeProjectId(git: Git): string | undefined {
  try {
    const [folder, name] = ID_FILE as [string, string];
    const path = join(makeFolder(NODE_DISK, { base: git.commonDir, segments: [folder] }, 'refuse'), name);
    writeFileSync(path, `${randomBytes(16).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') return undefined;
  }
  return projectId(git);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
