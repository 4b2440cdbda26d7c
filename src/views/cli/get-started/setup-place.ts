import { realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { findGit } from '../../../journal/run-places.js';
import { ConfigError } from '../../../model/errors.js';
import { clip } from '../../../model/show-value.js';
import type { ProgramSearch } from '../../../setup/outside-programs.js';
import type { CommandContext } from '../command-context.js';

/** The folder that is inspected. Throws ConfigError when there is none. */
export function folderOf(context: CommandContext, cwd = '.'): string {
  const folder = realFolder(cwd, context);
  if (folder !== undefined) return folder;
  throw new ConfigError([{ path: '', place: '--cwd', message: `${JSON.stringify(clip(cwd))} is not a folder` }]);
}

function realFolder(path: string, context: CommandContext): string | undefined {
  try {
    // Also fails where the current folder was deleted.
    const folder = realpathSync(resolve(context.cwd, path));
    return statSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing of the folder, nor of the repository that it belongs to, is run. */
export function searchFrom(folder: string, environment: NodeJS.ProcessEnv): ProgramSearch {
  const git = findGit(folder);
  return {
    trees: git === undefined ? [folder] : [folder, git.workTree],
    home: homeOf(environment),
    path: environment['PATH'],
  };
}

/** A user whom the system does not know has no home. */
export function homeOf({ HOME = '' }: NodeJS.ProcessEnv): string {
  if (isAbsolute(HOME)) return HOME;
  try {
    return userInfo().homedir;
  } catch {
    return '/';
  }
}
