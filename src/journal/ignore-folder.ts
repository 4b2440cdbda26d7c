import { join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { type Disk, errnoOf, statOf, writeNewFile } from './disk.js';
import type { Warnings } from './warnings.js';

/** Keeps a folder of ours out of the user's commits: with a rule inside it, nothing of the user's is changed. */
export function ignoreFolder(disk: Disk, folder: string, warnings: Warnings): void {
  const path = join(folder, '.gitignore');
  try {
    if (statOf(disk, path) === undefined) writeNewFile(disk, path, Buffer.from('*\n'));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') warnings.warn(`${folder} may show up in git: ${messageOf(error)}`);
  }
}
