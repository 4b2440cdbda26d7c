import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { knownProjects } from '../../journal/known-projects.js';
import { ConfigError } from '../../model/errors.js';
import { quote } from '../../model/figures.js';
import type { Environment } from '../../journal/second-home.js';

/**
 * A config that a client names lies where the server's user works: what is wrong with a file is told with its words, and
 * any other file is none of the client's business. Throws ConfigError.
 */
export function checkConfigPlace(cwd: string, config: string, environment: Environment): void {
  const path = realPathOf(resolve(cwd, config));
  const allowed = [cwd, ...knownProjects(environment)].map(realPathOf);
  if (allowed.some((folder) => isBelow(folder, path))) return;
  const message = `config ${quote(config, 200)} is neither in the folder of the server nor in one that has had runs`;
  throw new ConfigError([{ path: '', message }]);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
