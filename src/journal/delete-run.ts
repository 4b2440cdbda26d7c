import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Disk, NODE_DISK, onDisk, statOf, folderOf, namesIn } from './disk.js';
import type { ListedRun } from './list-runs.js';
import { acquireLock, newHolder } from './lock.js';
import { forgetRun } from './noted-runs.js';
import { LOCK_NAME, realWorkingDir, type Environment, findSecondHome, holdsRecord, projectRuns } from './run-places.js';

/** A folder that is on its way out has a name that no run has. */
const DELETED = '.deleted-';

/** Deletes the record of a run, its links, and the file that names its session. Throws LockedError while another process writes it. */
export function deleteRun(run: ListedRun, workingDir: string, environment: Environment): void {
  const folders = runFolders(run, workingDir, environment);
  const locks = folders.map((folder) => acquireLock({ path: join(folder, LOCK_NAME), holder: newHolder(run.runId) }));
  try {
    for (const folder of folders) onDisk('delete', folder, () => remove(folder));
    for (const place of new Set([realWorkingDir(workingDir), run.workingDir])) unlist(run.runId, place, environment);
    const { stateDir } = run.snapshot?.spec?.session ?? {};
    if (typeof stateDir === 'string') rmSync(join(stateDir, `${run.runId}.json`), { force: true });
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** What the record takes on disk. A file with two names counts once. */
export function sizeOfRun(run: ListedRun, workingDir: string, environment: Environment): number {
  const seen = new Set<string>();
  return runFolders(run, workingDir, environment).reduce((sum, folder) => sum + sizeOfFolder(folder, seen), 0);
}

export function sizeOfFolder(folder: string, seen = new Set<string>(), disk: Disk = NODE_DISK): number {
  return namesIn(folder).reduce((sum, name) => {
    const path = join(folder, name);
    const stat = statOf(disk, path);
    // It was deleted while they were counted.
    if (stat === undefined) return sum;
    if (stat.isDirectory()) return sum + sizeOfFolder(path, seen, disk);
    const file = `${stat.dev}:${stat.ino}`;
    if (seen.has(file)) return sum;
    seen.add(file);
    return sum + stat.blocks * 512;
  }, 0);
}

function runFolders({ runId, folder }: ListedRun, workingDir: string, environment: Environment): readonly string[] {
  // Version 0.1 had a second name of each file there.
  const second = join(folderOf(findSecondHome(realWorkingDir(workingDir), environment).runs), runId);
  return [...new Set([folder, second])].filter((path) => existsSync(path));
}

/** The links to the record go, and what is noted of the run. */
function unlist(runId: string, workingDir: string, environment: Environment): void {
  const links = join(projectRuns(workingDir), runId);
  if (!holdsRecord(links)) rmSync(links, { recursive: true, force: true });
  forgetRun(runId, workingDir, environment);
}

/** It is gone for everybody at once, and a deletion that is killed is completed by the next one. */
function remove(folder: string): void {
  const home = dirname(folder);
  renameSync(folder, join(home, `${DELETED}${process.pid}-${Date.now()}`));
  for (const name of namesIn(home)) {
    if (name.startsWith(DELETED)) rmSync(join(home, name), { recursive: true, force: true });
  }
}
