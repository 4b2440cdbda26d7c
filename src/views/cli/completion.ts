import type { Command } from 'commander';
import { oneLine } from '../terminal/one-line.js';
import { completionFolder } from './completion-folder.js';
import { type Candidate, completionWish, type CursorPlace, type WhatOfFleet } from './completion-wish.js';
import type { CommandContext } from './command-context.js';

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
    const place = completionWish(program, words);
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

/** Nothing of the fleet is loaded where nobody has one. */
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
