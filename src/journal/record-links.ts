import { join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { type Disk, errnoOf, folderOf, makeFolder, moveAside, statOf } from './disk.js';
import type { Warnings } from './journal.js';
import { JOURNAL_NAME, type RunPlaces, SNAPSHOT_NAME } from './run-places.js';

/**
 * What is linked of a record. Single names and not the whole folder: `rm -rf .ralph/runs/*\/` follows a link to a folder
 * and deletes what is in it.
 */
const LINKED = [JOURNAL_NAME, SNAPSHOT_NAME, 'iterations', 'items.jsonl', 'detached.log'];

/** The file system of the working directory has no links, or does not let us make one. */
const HOPELESS: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
]);

/** The names that a record has in the working directory. A run without them continues: its record is elsewhere. */
export interface RecordLinks {
  /** Makes those that are missing. True when the folder of the working directory was missing, too. */
  keep(): boolean;
}

export function createRecordLinks(disk: Disk, { links, record }: RunPlaces, warnings: Warnings): RecordLinks {
  const target = folderOf(record);
  let isPossible = true;

  const keepOne = (folder: string, name: string): void => {
    if (statOf(disk, join(target, name)) === undefined) return;
    const path = join(folder, name);
    const found = statOf(disk, path);
    if (found?.isSymbolicLink() === true && disk.readlinkSync(path) === join(target, name)) return;
    if (found !== undefined) {
      warnings.warn(`an unknown file at ${path} was moved to ${moveAside(disk, path, 'foreign')}`);
    }
    disk.symlinkSync(join(target, name), path);
  };

  return {
    keep() {
      if (!isPossible || links === undefined) return false;
      const folder = folderOf(links);
      try {
        const isMissing = statOf(disk, folder)?.isDirectory() !== true;
        if (isMissing) makeFolder(disk, links, 'move');
        for (const name of LINKED) keepOne(folder, name);
        return isMissing;
      } catch (error) {
        isPossible = !HOPELESS.has(errnoOf(error));
        warnings.warn(`the record in ${target} has no links in ${folder}: ${messageOf(error)}`);
        return false;
      }
    },
  };
}
