import { join } from 'node:path';
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
    if (place.makesBase === true) disk.mkdirSync(place.base, { recursive: true });
    let path = place.base;
    for (const segment of place.segments) {
      path = join(path, segment);
      makeOne(disk, path, inTheWay);
    }
    return folder;
  });
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
