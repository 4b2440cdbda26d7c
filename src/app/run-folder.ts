import { printable, shellWord } from '../words/printable.js';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { ConfigError } from '../model/errors.js';
import { importedFolder } from '../journal/run-places.js';
import type { Surroundings } from './surroundings.js';

export interface RunFolder {
  /** Where the runs that are meant took place. */
  readonly workingDir: string;
  /** The config that is there now, when it can be read. */
  readonly config?: LoadedConfig | undefined;
}

/** Where the runs of a folder are: in it, or where its config says that the agent works. Throws ConfigError. */
export function runFolderOf(cwdOption: string | undefined, context: Surroundings): RunFolder {
  const cwd = resolve(context.cwd, cwdOption ?? '.');
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigError([{ path: '', place: '--cwd', message: `${JSON.stringify(cwd)} is not a directory` }]);
  }
  try {
    const config = loadConfig({ cwd, env: context.environment });
    return { workingDir: config.spec.workingDir, config };
  } catch {
    // A config that is broken now does not hide the runs that there were.
    return { workingDir: cwd };
  }
}

/** What a suggested command needs to find the run from here. */
export function placeFlag(cwd: string | undefined): string {
  if (cwd === undefined) return '';
  return ` --cwd ${shellWord(cwd)}`;
}

/** Where the runs are that a command is about: imported ones, or those of a folder. Throws ConfigError. */
export function folderOfRuns(
  { cwd, imported }: { readonly cwd?: string | undefined; readonly imported?: boolean | undefined },
  context: Surroundings,
): string {
  if (imported !== true) return runFolderOf(cwd, context).workingDir;
  const refused = (message: string) => new ConfigError([{ path: '', place: '--imported', message }]);
  if (cwd !== undefined)
    throw refused('it is about imported runs, and --cwd about those of a folder: use only one of them');
  const folder = importedFolder(context.environment);
  if (folder === undefined) throw refused('nothing has been imported yet; pawl import does that');
  return folder;
}

/** What is said in place of an empty list. */
export function noRunsText(where: string, { imported }: { readonly imported?: boolean | undefined }): string {
  return imported === true
    ? 'No imported runs yet; pawl import adds them.'
    : `No runs in ${printable(where)} yet; pawl run starts one.`;
}
