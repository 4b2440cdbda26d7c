import { join } from 'node:path';
import { NODE_DISK, folderOf } from './disk.js';
import { holdersElsewhere, holdsCopies } from './copied-record.js';
import { holderAt, type LockHolder } from './lock.js';
import { LOCK_NAME, realWorkingDir, type Environment, findSecondHome } from './run-places.js';

/** Who writes in a working directory at the moment: the lock is under two names. Copied records have a mark instead. */
export function findHolders(workingDir: string, environment: Environment): readonly LockHolder[] {
  const real = realWorkingDir(workingDir);
  if (holdsCopies(real, environment)) return holdersElsewhere(real);
  const places = [join(real, '.ralph', LOCK_NAME), join(folderOf(findSecondHome(real, environment).tree), LOCK_NAME)];
  return places.flatMap((path) => holderAt(NODE_DISK, path) ?? []);
}
