import { listRunIds, locateRun } from '../../../journal/list-runs.js';
import { readJournal } from '../../../journal/read-journal.js';
import { messageOf, PawlError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { type DiffForm, diffTrees, type TreeDiff } from '../../../observation/files/diff-trees.js';
import { readTrees } from '../../../run/recorded-trees.js';
import { jsonText } from '../../text/json-text.js';
import { shortId } from '../../../words/short-id.js';
import { printable } from '../../../words/printable.js';
import { shownPath } from '../../../app/shown-path.js';
import { noTrees, type TreePair, treesAsked } from '../../../app/compared-trees.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';
import { runAndIteration } from './run-and-iteration.js';
import { fleetMarkOf, placeOfRun } from '../../../app/fleet-records.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { sayTitle } from '../../text/status-lines.js';
import type { Style, Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface DiffOptions {
  readonly cwd?: string;
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
  readonly json?: boolean;
}

/** What an iteration changed, or the whole run. */
export async function diffCommand(
  reference: string | undefined,
  iteration: string | undefined,
  options: DiffOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { workingDir: here } = runFolderOf(options.cwd, context);
  const workingDir = await placeOfRun(here, reference, context);
  const ids = listRunIds(workingDir, context.environment);
  const asked = runAndIteration(reference, iteration, ids, { takesGreen: true });
  const run = locateRun(workingDir, asked.run, context.environment);
  if (isPipelineId(run.runId)) throw noTrees(run.runId);
  const trees = await readTrees(readJournal(run.journalPath, { onTorn: () => undefined }));
  const pair = treesAsked(run, trees, asked);
  const form = options.json === true || options.nameOnly === true ? 'names' : options.stat === true ? 'stat' : 'patch';
  // The copy of a fleet's record has no tree: if its snapshots are on this machine, they are found from here.
  const isOfFleet = fleetMarkOf(run, context.environment) !== undefined;
  const where = { runId: run.runId, workingDir: isOfFleet ? here : run.workingDir, isOfFleet };
  const { output, leftOut, top } = await diff(where, pair, form, context);
  if (options.json === true) terminal.raw(`${jsonText({ ...pair, files: filesOf(output) }, 2)}\n`);
  else {
    if (form !== 'names') await sayTitle(run, terminal);
    print(options.nameOnly === true ? namesOf(output) : output, terminal);
  }
  for (const path of leftOut) terminal.note(`${printable(path)} is not included: it was too large for a snapshot.`);
  if (form === 'patch' && !terminal.isScreen && top !== undefined) {
    terminal.note(`The paths are relative to ${printable(shownPath(top, context.cwd))}: run git apply there.`);
  }
  if (run.holder !== undefined) terminal.note('The iteration in progress is not included yet.');
  return EXIT_CODES.goal;
}

interface WhereTrees {
  readonly runId: string;
  readonly workingDir: string;
  readonly isOfFleet: boolean;
}

async function diff(run: WhereTrees, pair: TreePair, form: DiffForm, context: CommandContext): Promise<TreeDiff> {
  const { terminal } = context;
  const { workingDir, isOfFleet } = run;
  const columns = terminal.isScreen ? terminal.columns : undefined;
  try {
    return await diffTrees({ workingDir, environment: context.environment, ...pair, form, columns });
  } catch (error) {
    const why = isOfFleet
      ? `the snapshots of ${run.runId} are on the worker that took them; its work is on the branch pawl/${run.runId}`
      : `a snapshot of ${shortId(run.runId)} cannot be read: ${messageOf(error)}`;
    throw new PawlError('FileSystemError', why, { cause: error });
  }
}

const STATUS: Readonly<Record<string, string>> = {
  A: 'created',
  D: 'deleted',
  R: 'renamed',
  M: 'modified',
  T: 'modified',
};

interface ChangedFile {
  readonly status: string;
  readonly path: string;
  readonly from?: string;
}

/** `M`, `path`, or `R087`, `old`, `new`, each ended by a zero byte. */
function filesOf(output: Buffer): readonly ChangedFile[] {
  const fields = output.toString('utf8').split('\0').slice(0, -1);
  const files: ChangedFile[] = [];
  while (fields.length > 0) {
    const letter = (fields.shift() ?? '').charAt(0);
    const status = STATUS[letter] ?? 'modified';
    const from = letter === 'R' ? fields.shift() : undefined;
    files.push({ status, path: fields.shift() ?? '', ...(from === undefined ? {} : { from }) });
  }
  return files;
}

function namesOf(output: Buffer): Buffer {
  const names = filesOf(output).map(({ path }) => `${path}\n`);
  return Buffer.from(names.join(''));
}

function linesOf(output: Buffer): readonly string[] {
  return output.toString('utf8').split('\n').slice(0, -1);
}

/** In a pipe byte by byte, so that `git apply` takes it; for people without whatever would steer their terminal. */
function print(output: Buffer, terminal: Terminal): void {
  if (!terminal.isScreen) return terminal.raw(output);
  for (const line of linesOf(output)) terminal.say(terminal.style(styleOf(line), line));
  if (output.length === 0) terminal.note('No file changed.');
}

function styleOf(line: string): Style {
  if (/^(?:diff|index|---|\+\+\+|new file|deleted file|rename|similarity|old mode|new mode) ?/.test(line))
    return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : 'reset';
}
