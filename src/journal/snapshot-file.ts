import { join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { type Disk, moveAside, removeFile, statOf, writeNewFile } from './disk.js';
import { type RunPlaces, SNAPSHOT_NAME } from './run-places.js';
import { folderOf } from './second-home.js';
import type { SecondNames } from './second-names.js';
import type { Warnings } from './warnings.js';

/** Replaces `state.json` under both names, if there is anything to write. It is only a cache: a failure is a warning, and false. */
export function replaceSnapshot(
  encode: () => Uint8Array | undefined,
  options: {
    readonly disk: Disk;
    readonly places: RunPlaces;
    readonly secondNames: SecondNames;
    readonly warnings: Warnings;
  },
): boolean {
  const { disk, places, secondNames, warnings } = options;
  const path = join(folderOf(places.first), SNAPSHOT_NAME);
  const temp = `${path}.new`;
  try {
    const bytes = encode();
    if (bytes === undefined) return false;
    removeFile(disk, temp);
    writeNewFile(disk, temp, bytes);
    if (statOf(disk, path)?.isDirectory() === true) {
      warnings.warn(`a folder stood at ${path} and was moved to ${moveAside(disk, path, 'foreign')}`);
    }
    disk.renameSync(temp, path);
    secondNames.link(SNAPSHOT_NAME);
    return true;
  } catch (error) {
    removeFile(disk, temp);
    warnings.warn(`cannot write ${path}: ${messageOf(error)}`);
    return false;
  }
}
