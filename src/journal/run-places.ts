import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Disk, onDisk, statOf } from './disk.js';
import { checkRunId } from './run-id.js';
import { type Environment, findSecondHome, folderOf, type Place } from './second-home.js';

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
