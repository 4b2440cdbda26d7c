import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { knownProjects, type Environment } from '../../journal/run-places.js';
import { ConfigError } from '../../model/errors.js';
import { quote } from '../../model/figures.js';
import { runFolderOf } from '../../app/run-folder.js';
import type { Surroundings } from '../../app/surroundings.js';

const MOST_ID_CHARACTERS = 100;
const MOST_PATH_CHARACTERS = 4096;

/** How a run is named in a call. */
export const RUN = z
  .string()
  .min(1)
  .max(MOST_ID_CHARACTERS)
  .describe('The id of a run as list_runs shows it, or the start of one');

export const PROJECT = z
  .string()
  .min(1)
  .max(MOST_PATH_CHARACTERS)
  .optional()
  .describe('Folder of the run, as list_runs with all: true names it (default: the folder that the server serves)');

/** The folder whose runs are meant. Throws ConfigError when the user has never had a run there. */
export function folderOf(cwd: string, project: string | undefined, environment: Environment): string {
  if (project === undefined) return cwd;
  const path = resolve(cwd, project);
  const known = [cwd, realPathOf(cwd), ...knownProjects(environment)];
  if (known.includes(path) || known.includes(realPathOf(path))) return path;
  const message = `there are no runs in ${quote(path, 200)}; list_runs with all: true names the folders`;
  throw new ConfigError([{ path: '', message }]);
}

/** Where the runs of that folder took place. */
export function workingDirOf(cwd: string, project: string | undefined, context: Surroundings): string {
  return runFolderOf(folderOf(cwd, project, context.environment), context).workingDir;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
