import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateHome } from '../../journal/run-places.js';
import type { Environment } from '../../process/run-tool.js';

/** Pawl's folder in the user's state folder. */
export function makeStateFolder(environment: Environment): string {
  const folder = join(stateHome(environment), 'pawl');
  makeFolders(folder);
  return realpathSync(folder);
}

/** The same folder if it is there. */
export function findStateFolder(environment: Environment): string | undefined {
  const folder = join(stateHome(environment), 'pawl');
  return existsSync(folder) ? realpathSync(folder) : undefined;
}

/** Step by step: where nothing can be made, such as in /proc, Node's recursive way never ends. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** One shadow repository per work tree: work trees of one repository have one each. */
export function shadowFolder(stateFolder: string, top: string): string {
  return join(stateFolder, 'trees', createHash('sha256').update(top).digest('hex').slice(0, 16));
}
