import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfigFile } from '../../config/config-file.js';
import { splitCommand } from '../../config/split-command.js';
import type { Environment } from '../../journal/second-home.js';
import type { CommandContext } from './command-context.js';

/**
 * Where the runs of a folder are, as `runFolderOf` has it. To load a config takes longer than all else at a key press:
 * it is loaded only if it says that the agent works elsewhere.
 */
export async function completionFolder(typed: string | undefined, context: CommandContext): Promise<string> {
  const { environment } = context;
  const cwd = resolve(context.cwd, typed === undefined ? '.' : asFolder(typed, environment));
  if (!configFiles(cwd, environment).some(mentionsFolder)) return cwd;
  const { runFolderOf } = await import('./looking-commands.js');
  return runFolderOf(cwd, context).workingDir;
}

/** The word is as it stands on the command line: most shells have not taken its quotes away yet. */
function asFolder(typed: string, { HOME = homedir() }: Environment): string {
  const isBelowHome = typed === '~' || typed.startsWith('~/');
  const path = isBelowHome ? typed.slice(2) : typed;
  const [word = path, ...others] = splitCommand(path) ?? [];
  const plain = others.length === 0 ? word : path;
  return isBelowHome ? join(HOME, plain) : plain;
}

function configFiles(cwd: string, environment: Environment): readonly string[] {
  const { PAWL_CONFIG, XDG_CONFIG_HOME, HOME = homedir() } = environment;
  const inFolder = ['pawl.yaml', 'pawl.yml', 'pawl.json'].map((name) => join(cwd, name));
  const ofUser = join(XDG_CONFIG_HOME ?? join(HOME, '.config'), 'pawl', 'config.yaml');
  return [...inFolder, ofUser, ...(PAWL_CONFIG === undefined ? [] : [resolve(cwd, PAWL_CONFIG)])];
}

function mentionsFolder(path: string): boolean {
  const file = readConfigFile(path);
  return file.kind === 'read' && file.text.includes('working_dir');
}
