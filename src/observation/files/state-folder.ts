import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from './git-tool.js';

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

function stateHome(environment: Environment): string {
  const configured = environment['XDG_STATE_HOME'];
  // A relative path is to be ignored, says the XDG specification.
  if (configured !== undefined && isAbsolute(configured)) return configured;
  const home = environment['HOME'];
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), '.local', 'state');
}
