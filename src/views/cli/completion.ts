import type { Command } from 'commander';
import { oneLine } from '../terminal/one-line.js';
import { completionFolder } from './completion-folder.js';
import { type Candidate, completionWish, type CursorPlace } from './completion-wish.js';

/** Nothing that a shell could take for more than a word. */
const PLAIN_WORD = /^[\w.,/=+-]+$/;
const ABOUT_CHARACTERS = 60;

/**
 * What a shell offers at the cursor: a line for each word, with what it is after a tab, and at the end `:files`,
 * `:directories` or `:` for what the shell is to add itself. Never throws: a key press is no place for an error.
 */
export async function completionLines(program: Command, words: readonly string[]): Promise<readonly string[]> {
  try {
    const place = completionWish(program, words);
    const candidates = await candidatesOf(place);
    const { kind } = place.wish;
    return [...linesOf(candidates, place), kind === 'files' || kind === 'directories' ? `:${kind}` : ':'];
  } catch {
    return [':'];
  }
}

async function candidatesOf({ wish, typed, folder }: CursorPlace): Promise<readonly Candidate[]> {
  if (wish.kind === 'words') return wish.words;
  if (wish.kind !== 'runs') return [];
  const environment = process.env;
  const { runCandidates } = await import('./completion-runs.js');
  const place = await completionFolder(folder, environment);
  return runCandidates({ folder: place, typed, which: wish.which, environment, nowMs: Date.now() });
}

function linesOf(candidates: readonly Candidate[], { before, typed }: CursorPlace): readonly string[] {
  return candidates
    .filter(({ word }) => word.startsWith(typed) && PLAIN_WORD.test(word))
    .map(({ word, about = '' }) => `${before}${word}\t${oneLine(about, ABOUT_CHARACTERS)}`);
}
