import { dirname, join } from 'node:path';
import { FileSystemError } from '../model/errors.js';
import { type Disk, errnoOf, FOLDER_MODE, moveAside, onDisk, statOf } from './disk.js';
import { folderOf, type Place } from './second-home.js';

/** `refuse`: a symlink or a file where a folder belongs is an error. `move`: it is renamed and the folder is made. */
export type InTheWay = 'refuse' | 'move';

/** Makes the folders of a place that are missing, mode 0700, never through a symlink. Returns the last one. */
export function makeFolder(disk: Disk, place: Place, inTheWay: InTheWay): string {
  const folder = folderOf(place);
  return onDisk('make the folder', folder, () => {
    // The base is the user's: it may be reached through symlinks, and its mode is not ours to choose.
    if (place.makesBase === true) makeBase(disk, place.base);
    let path = place.base;
    for (const segment of place.segments) {
      path = join(path, segment);
      makeOne(disk, path, inTheWay);
    }
    return folder;
  });
}

/** Step by step: where nothing can be made, such as in /proc, Node's recursive way never ends. */
function makeBase(disk: Disk, path: string): void {
  const missing: string[] = [];
  for (let folder = path; !exists(disk, folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      disk.mkdirSync(folder);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Also through a symlink: the base is the user's. */
function exists(disk: Disk, path: string): boolean {
  return statOf(disk, path) !== undefined || path === dirname(path);
}

function makeOne(disk: Disk, path: string, inTheWay: InTheWay): void {
  const found = statOf(disk, path);
  if (found?.isDirectory() === true) return;
  if (found !== undefined) {
    const what = found.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder';
    if (inTheWay === 'refuse') throw new FileSystemError('use', path, `${what}; move it away`);
    moveAside(disk, path, 'foreign');
  }
  try {
    disk.mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && statOf(disk, path)?.isDirectory() === true) return;
    throw error;
  }
  disk.chmodSync(path, FOLDER_MODE);
}
