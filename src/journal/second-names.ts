import { dirname, join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { type Disk, errnoOf, moveAside, removeFile, statOf } from './disk.js';
import { makeFolder } from './make-folder.js';
import type { RunPlaces } from './run-places.js';
import { folderOf } from './second-home.js';
import type { Warnings } from './warnings.js';

/** Which file, whatever it is called. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

export function isSameFile(a: FileIdentity | undefined, b: FileIdentity): boolean {
  return a !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Gives the files of a run their second names. A run without them goes on: it is only less safe from its agent. */
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

/** Makes room at a path for a file of ours. Returns true when that very file is already there. */
export function clearTheWay(disk: Disk, path: string, ours: FileIdentity, warnings: Warnings): boolean {
  const found = statOf(disk, path);
  if (found === undefined) return false;
  if (isSameFile(found, ours)) return true;
  warnings.warn(`a foreign file stood at ${path} and was moved to ${moveAside(disk, path, 'foreign')}`);
  return false;
}
