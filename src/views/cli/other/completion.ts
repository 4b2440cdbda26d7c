import type { Command } from 'commander';
import { oneLine } from '../../../words/printable.js';
import { type Candidate, completionRequest, type CursorPlace, type WhatOfFleet } from './completion-request.js';
import type { CommandContext } from '../command-context.js';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfigFile } from '../../../config/config-file.js';
import { splitCommand } from '../../../config/split-command.js';
import type { Environment } from '../../../journal/run-places.js';

/** Nothing that a shell could take for more than a word. */
const PLAIN_WORD = /^[\w.,/=+-]+$/;
const ABOUT_CHARACTERS = 60;

/**
 * What a shell offers at the cursor: a line for each word, with what it is after a tab, and at the end `:files`,
 * `:directories` or `:` for what the shell is to add itself. Never throws: a key press is no place for an error.
 */
export async function completionLines(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  try {
    const place = completionRequest(program, words);
    const candidates = await candidatesOf(place, context);
    const { kind } = place.wish;
    return [...linesOf(candidates, place), kind === 'files' || kind === 'directories' ? `:${kind}` : ':'];
  } catch {
    return [':'];
  }
}

async function candidatesOf(place: CursorPlace, context: CommandContext): Promise<readonly Candidate[]> {
  const { wish, typed, folder } = place;
  if (wish.kind === 'words') return wish.words;
  if (wish.kind === 'fleet') return ofFleet(wish.what, place, context);
  if (wish.kind !== 'runs') return [];
  const { environment } = context;
  const { runCandidates } = await import('./completion-runs.js');
  const runFolder = await completionFolder(folder, context);
  const found = runCandidates({ folder: runFolder, typed, which: wish.which, environment, nowMs: context.now() });
  // The commands that look at a run look in the fleet when it is not here; those that steer one do not.
  return found.length > 0 || wish.which !== 'all' ? found : ofFleet('runs', place, context);
}

/** Nothing of the fleet is loaded where no one has one. */
async function ofFleet(
  what: WhatOfFleet,
  { typed, postgres }: CursorPlace,
  context: CommandContext,
): Promise<readonly Candidate[]> {
  const { PAWL_POSTGRES = '' } = context.environment;
  const url = postgres ?? PAWL_POSTGRES;
  if (url === '') return [];
  const { fleetCandidates } = await import('./completion-fleet.js');
  return fleetCandidates({ url, what, typed, nowMs: context.now(), environment: context.environment });
}

function linesOf(candidates: readonly Candidate[], { before, typed }: CursorPlace): readonly string[] {
  return candidates
    .filter(({ word }) => word.startsWith(typed) && PLAIN_WORD.test(word))
    .map(({ word, about = '' }) => `${before}${word}\t${oneLine(about, ABOUT_CHARACTERS)}`);
}

/**
 * Where the runs of a folder are, as `runFolderOf` has it. To load a config takes longer than all else at a key press:
 * it is loaded only if it says that the agent works elsewhere.
 */
async function completionFolder(typed: string | undefined, context: CommandContext): Promise<string> {
  const { environment } = context;
  const cwd = resolve(context.cwd, typed === undefined ? '.' : asFolder(typed, environment));
  if (!configFiles(cwd, environment).some(mentionsFolder)) return cwd;
  const { runFolderOf } = await import('../looking-commands.js');
  return runFolderOf(cwd, context).workingDir;
}

/** The word is as it stands on the command line: most shells have not taken its quotes away yet. */
function asFolder(typed: string, { HOME = userInfo().homedir }: Environment): string {
  const isBelowHome = typed === '~' || typed.startsWith('~/');
  const path = isBelowHome ? typed.slice(2) : typed;
  const [word = path, ...others] = splitCommand(path) ?? [];
  const plain = others.length === 0 ? word : path;
  return isBelowHome ? join(HOME, plain) : plain;
}

function configFiles(cwd: string, environment: Environment): readonly string[] {
  const { PAWL_CONFIG, XDG_CONFIG_HOME, HOME = userInfo().homedir } = environment;
  const inFolder = ['pawl.yaml', 'pawl.yml', 'pawl.json'].map((name) => join(cwd, name));
  const ofUser = join(XDG_CONFIG_HOME ?? join(HOME, '.config'), 'pawl', 'config.yaml');
  return [...inFolder, ofUser, ...(PAWL_CONFIG === undefined ? [] : [resolve(cwd, PAWL_CONFIG)])];
}

function mentionsFolder(path: string): boolean {
  const file = readConfigFile(path);
  return file.kind === 'read' && file.text.includes('working_dir');
}
