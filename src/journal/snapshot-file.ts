import { join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { type Disk, moveAside, removeFile, statOf, writeNewFile } from './disk.js';
import { type RunPlaces, SNAPSHOT_NAME } from './run-places.js';
import { folderOf } from './second-home.js';
import type { SecondNames } from './second-names.js';
import type { Warnings } from './warnings.js';

/** Replaces `state.json` under both names. It is only a cache: a failure is a warning. */
export function replaceSnapshot(
  bytes: Uint8Array,
  options: {
    readonly disk: Disk;
    readonly places: RunPlaces;
    readonly secondNames: SecondNames;
    readonly warnings: Warnings;
  },
): void {
  const { disk, places, secondNames, warnings } = options;
  const path = join(folderOf(places.first), SNAPSHOT_NAME);
  const temp = `${path}.new`;
  try {
    removeFile(disk, temp);
    writeNewFile(disk, temp, bytes);
    if (statOf(disk, path)?.isDirectory() === true) moveAside(disk, path, 'foreign');
    disk.renameSync(temp, path);
    secondNames.link(SNAPSHOT_NAME);
  } catch (error) {
    removeFile(disk, temp);
    warnings.warn(`cannot write ${path}: ${messageOf(error)}`);
  }
}
