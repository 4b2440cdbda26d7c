import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { findGit } from '../../journal/second-home.js';
import { ConfigError } from '../../model/errors.js';
import { clip } from '../../model/field-rules.js';
import type { ProgramSearch } from '../../setup/outside-programs.js';

/** The folder that is looked at. Throws ConfigError when there is none. */
export function folderOf(cwd = '.'): string {
  const folder = realFolder(resolve(cwd));
  if (folder !== undefined) return folder;
  throw new ConfigError([{ path: '', place: '--cwd', message: `${JSON.stringify(clip(cwd))} is not a folder` }]);
}

function realFolder(path: string): string | undefined {
  try {
    const folder = realpathSync(path);
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
    home: environment['HOME'] ?? homedir(),
    path: environment['PATH'],
  };
}
