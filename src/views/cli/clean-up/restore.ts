import { listRunIds, locateAnywhere, locateRun } from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { resolve } from 'node:path';
import { restoreInto, restoreRun, type RestoreOutcome, type RestoreTarget } from '../../../run/restore-run.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { greenWhenText, whenText } from '../../../words/restored-text.js';
import { shortId } from '../../../words/short-id.js';
import { shownPath } from '../../../app/shown-path.js';
import { placeFlag } from '../../../app/run-folder.js';
import { type RunAndIteration, runAndIteration } from '../inspect/run-and-iteration.js';
import { runFolderOf } from '../../../app/run-folder.js';
import type { Terminal } from '../../text/terminal.js';
import { checkWorktreeIsThere } from '../../../app/worktree-gone.js';
import type { CommandContext } from '../command-context.js';

export interface RestoreCommandOptions {
  readonly cwd?: string;
  readonly force?: boolean;
  readonly undo?: boolean;
  readonly to?: string;
  readonly into?: string;
  readonly run?: string;
  readonly json?: boolean;
}

const MOST_NAMED = 10;

/** Puts the working tree back to how it was after an iteration. */
export async function restoreCommand(
  reference: string | undefined,
  iteration: string | undefined,
  options: RestoreCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { cwd, force, json, into } = options;
  const { workingDir } = runFolderOf(cwd, context);
  const ids = listRunIds(workingDir, context.environment);
  const asked = askedFor(reference, iteration, options.run, ids);
  const to = targetOf(asked, options);
  if (into !== undefined) return intoFolder(asked.run, to, { ...options, into, workingDir }, context);
  if (to === undefined) throw refused('no iteration given: 0 is before the first, and pawl show lists them');
  checkWorktreeIsThere(workingDir, asked.run, context.environment);
  const { runId } = locateRun(workingDir, asked.run, context.environment);
  const outcome = await restoreRun({ workingDir, run: runId, to, force, environment: context.environment });
  if (json === true) terminal.raw(`${jsonText({ runId, to, ...outcome }, 2)}\n`);
  if ('unsaved' in outcome) {
    if (json !== true) sayRefused(outcome, terminal);
    return EXIT_CODES.usage;
  }
  if (json !== true) sayRestored(outcome, { runId, to, place: placeFlag(cwd) }, context);
  return outcome.missing.length === 0 ? EXIT_CODES.goal : EXIT_CODES.error;
}

/** `--run` leaves both arguments for the iteration. */
function askedFor(
  reference: string | undefined,
  iteration: string | undefined,
  run: string | undefined,
  ids: readonly string[],
): RunAndIteration {
  const forms = { first: 0, takesGreen: true } as const;
  if (run === undefined) return runAndIteration(reference, iteration, ids, forms);
  if (iteration !== undefined) throw refused(`there are two runs: --run ${run} and ${reference}`);
  return reference === undefined ? { run } : { ...runAndIteration(run, reference, ids, forms), run };
}

/** A run of any folder of the user's: its own may be gone. */
async function intoFolder(
  reference: string | undefined,
  to: RestoreTarget | undefined,
  { into, workingDir, force, json }: RestoreCommandOptions & { readonly into: string; readonly workingDir: string },
  context: CommandContext,
): Promise<ExitCode> {
  if (force === true) throw refused('--force is for the folder of the run; --into takes a folder that is empty');
  const { environment, terminal } = context;
  const run = locateAnywhere(workingDir, reference, environment);
  const request = { run, to, into: resolve(context.cwd, into), environment };
  const restored = await untilSignal((signal) => restoreInto({ ...request, signal }));
  if (restored === undefined) return EXIT_CODES.operator;
  const { tree, files, missing } = restored;
  if (json === true) terminal.raw(`${jsonText({ runId: run.runId, to: to ?? { tree }, into, files, missing }, 2)}\n`);
  else {
    const when = to === undefined ? 'in its last snapshot' : targetText(to);
    terminal.say(`${plural(files, 'file')} written to ${printable(into)}, as in ${shortId(run.runId)} ${when}.`);
    for (const name of named(missing)) terminal.say(`  ${name}: missing, it was too large for the snapshot`);
  }
  return missing.length === 0 ? EXIT_CODES.goal : EXIT_CODES.error;
}

/** Undefined when a signal put an end to it. */
async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onSignal);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
  }
}

function targetOf(
  { iteration, isGreen }: RunAndIteration,
  { undo, to }: RestoreCommandOptions,
): RestoreTarget | undefined {
  const numbered = isGreen === true && iteration !== undefined ? { green: iteration } : iteration;
  const given: readonly (RestoreTarget | undefined)[] = [
    numbered,
    undo === true ? 'before-restore' : undefined,
    to === undefined ? undefined : { tree: to },
  ];
  const [only, ...others] = given.filter((one) => one !== undefined);
  if (others.length > 0) throw refused('an iteration, --undo or --to, only one of them');
  return only;
}

type Refused = Extract<RestoreOutcome, { readonly unsaved: unknown }>;
type Done = Exclude<RestoreOutcome, Refused>;

function sayRefused({ unsaved, unkept }: Refused, terminal: Terminal): void {
  terminal.note('pawl: nothing was restored: this would replace work that no run has recorded.');
  for (const name of named(unsaved)) terminal.note(`  ${name}`);
  for (const name of named(unkept)) terminal.note(`  ${name} (in no snapshot)`);
  const moved = unkept.length === 0 ? '' : ' Files that are in no snapshot are moved to .ralph/replaced.';
  terminal.note(`--force replaces it; a checkpoint is kept, and --undo brings it back.${moved}`);
}

function sayRestored(
  { written, deleted, notKept, missing, ignored, changed, movedTo, checkpoint }: Done,
  { runId, to, place }: { readonly runId: string; readonly to: RestoreTarget; readonly place: string },
  context: CommandContext,
): void {
  const { terminal } = context;
  const nothing = checkpoint === undefined;
  const when = targetText(to);
  const what = nothing ? 'no file differed' : `${plural(written, 'file')} written, ${deleted} deleted`;
  const except = notKept.length + missing.length + changed.length;
  terminal.say(
    except === 0
      ? `The files are as they were ${when} (${what}).`
      : `The files are as they were ${when}, except for ${plural(except, 'file')} (${what}):`,
  );
  for (const name of named(missing)) terminal.say(`  ${name}: still missing, it was too large for the snapshot`);
  for (const name of named(notKept)) terminal.say(`  ${name}: left as it is, it was too large for the snapshot`);
  for (const name of named(ignored)) terminal.say(`  ${name}: left as it is, .gitignore ignores or ignored it`);
  for (const name of named(changed))
    terminal.say(`  ${name}: another process changed it just now; that version is kept, see below`);
  if (movedTo !== undefined)
    terminal.say(`Files that were in the way are now in ${printable(shownPath(movedTo, context.cwd))}.`);
  if (nothing) return;
  terminal.say('Your git branch and index, and ignored files, were not touched.');
  terminal.say();
  terminal.say('To bring back the files of before, at any time:');
  terminal.say(`  pawl restore ${shortId(runId)} --to ${checkpoint.slice(0, 10)}${place}`);
}

function targetText(to: RestoreTarget): string {
  if (to === 'before-restore') return 'before the restore';
  if (typeof to === 'number') return whenText(to);
  return 'green' in to ? greenWhenText(to.green) : `at ${to.tree}`;
}

function named(paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, MOST_NAMED).map((path) => printable(path).replaceAll(/[\n\t]/g, '?'));
  return paths.length <= MOST_NAMED ? shown : [...shown, `and ${plural(paths.length - MOST_NAMED, 'more file')}`];
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
