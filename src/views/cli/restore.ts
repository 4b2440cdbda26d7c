import { listRuns, locateRun } from '../../journal/list-runs.js';
import { ConfigError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { restoreRun, type RestoreOutcome } from '../../run/restore-run.js';
import { plural } from '../../stop/figures.js';
import { printable } from '../terminal/printable.js';
import { whenText } from '../terminal/restored-text.js';
import { shortId } from '../terminal/short-id.js';
import { shownPath } from '../terminal/shown-path.js';
import { placeFlag } from './drive-run.js';
import { runAndIteration } from './run-and-iteration.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';
import { checkWorktreeIsThere } from './worktree-gone.js';

export interface RestoreCommandOptions {
  readonly cwd?: string;
  readonly force?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

const MOST_NAMED = 10;

/** Puts the working tree back to how it was after an iteration. */
export async function restoreCommand(
  reference: string | undefined,
  iteration: string | undefined,
  { cwd, force, undo, json }: RestoreCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { workingDir } = runFolderOf(cwd);
  const asked = runAndIteration(reference, iteration, listRuns(workingDir, process.env), 0);
  if (undo === true && asked.iteration !== undefined) throw refused('either an iteration or --undo, not both');
  if (undo !== true && asked.iteration === undefined) {
    throw refused('to which iteration? 0 is before the first; pawl show lists them');
  }
  checkWorktreeIsThere(workingDir, asked.run);
  const { runId } = locateRun(workingDir, asked.run, process.env);
  const to = asked.iteration ?? 'before-restore';
  const outcome = await restoreRun({ workingDir, run: runId, to, force, environment: process.env });
  if (json === true) terminal.raw(`${JSON.stringify({ runId, to, ...outcome }, null, 2)}\n`);
  if ('unsaved' in outcome) {
    if (json !== true) sayRefused(outcome, terminal);
    return EXIT_CODES.usage;
  }
  if (json !== true) sayRestored(outcome, { runId, to, place: placeFlag(cwd) }, terminal);
  return EXIT_CODES.goal;
}

type Refused = Extract<RestoreOutcome, { readonly unsaved: unknown }>;
type Done = Exclude<RestoreOutcome, Refused>;

function sayRefused({ unsaved, unkept }: Refused, terminal: Terminal): void {
  terminal.note('pawl: nothing was restored: this would replace work that no run has recorded.');
  for (const name of named(unsaved)) terminal.note(`  ${name}`);
  for (const name of named(unkept)) terminal.note(`  ${name} (in no snapshot)`);
  const moved = unkept.length === 0 ? '' : ' What is in no snapshot is moved to .ralph/replaced.';
  terminal.note(`--force replaces it; a checkpoint is kept, and --undo brings it back.${moved}`);
}

function sayRestored(
  { written, deleted, notKept, ignored, movedTo }: Done,
  { runId, to, place }: { readonly runId: string; readonly to: number | 'before-restore'; readonly place: string },
  terminal: Terminal,
): void {
  const when = to === 'before-restore' ? 'before the restore' : whenText(to);
  const nothing = written + deleted === 0;
  const what = nothing ? 'no file differed' : `${plural(written, 'file')} written, ${deleted} deleted`;
  terminal.say(`The files are as they were ${when} (${what}).`);
  for (const name of named(notKept)) terminal.say(`  ${name}: left as it is, it was too large to be kept`);
  for (const name of named(ignored)) terminal.say(`  ${name}: left as it is, .gitignore leaves it out`);
  if (movedTo !== undefined) terminal.say(`What stood in the way is in ${printable(shownPath(movedTo))}.`);
  if (nothing) return;
  terminal.say('Your git branch and index, and ignored files, were not touched.');
  terminal.say();
  terminal.say(`pawl restore ${shortId(runId)} --undo${place}   brings back what was there`);
}

function named(paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, MOST_NAMED).map((path) => printable(path).replaceAll(/[\n\t]/g, '?'));
  return paths.length <= MOST_NAMED ? shown : [...shown, `and ${plural(paths.length - MOST_NAMED, 'more file')}`];
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
