import { outcomeNow } from '../../../model/outcome.js';
import { knownProjects, type Environment } from '../../../journal/run-places.js';
import {
  type ListedRun,
  listRuns,
  whyRunsUnreadable,
  elsewhereText,
  listRunsOfGoneFolders,
  recordsElsewhere,
} from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { endOf, openIteration } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { count, plural } from '../../../model/figures.js';
import { doneText } from '../../../words/attempt-text.js';
import { agoText } from '../../../words/clock-text.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine, printable } from '../../../words/printable.js';
import { shortIds } from '../../../words/short-id.js';
import { shownPath } from '../../../app/shown-path.js';
import { costText } from '../../../words/spend-text.js';
import { fleetMarkOf, type LocatedRuns, lookForRuns, wordInFleet } from '../../../app/fleet-records.js';
import { fleetCostText, whyText } from '../../../app/fleet-words.js';
import { type ListedRecord, listedJson, readListed, whyListed } from '../../../app/listed-record.js';
import { folderOfRuns, noRunsText, placeFlag } from '../../../app/run-folder.js';
import { STALE_EXIT_CODE } from '../../../app/stale-copy.js';
import { nameOf } from '../../../app/task-of.js';
import { type UnbegunRun, unbegunJson, unbegunWord } from '../../../app/unbegun-run.js';
import { type Terminal, wrap } from '../../text/terminal.js';
import { textTable } from '../../text/text-table.js';
import type { CommandContext } from '../command-context.js';

export interface ListOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  /** Of every folder in which the user has had runs. */
  readonly all?: boolean;
  /** Those that other tools have run. */
  readonly imported?: boolean;
}

interface Cells {
  readonly id: string;
  readonly status: string;
  /** What it has done so far, with and without its unit. */
  readonly done: string;
  readonly number: string | undefined;
  readonly cost: string;
  readonly started: string;
  /** The first line of the prompt. */
  readonly task: string;
  readonly why: string;
}

/** Below this a line of the table has no room for why. */
const TABLE_COLUMNS = 70;
const MOST_WHY = 600;
const MOST_LINE = 1000;

/** The runs of a folder, newest first. */
export async function listCommand(options: ListOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  if (options.all === true) return listEverywhere(options, context);
  const { cwd, json } = options;
  const located = await lookForRuns(folderOfRuns(options, context), context);
  const { folder: workingDir, stale } = located;
  const rows = await entriesOf(located, context);
  const unreadable = whyRunsUnreadable(workingDir);
  if (unreadable !== undefined) terminal.note(`pawl: ${printable(unreadable)}`);
  if (json === true) printJson(rows, terminal);
  else if (rows.length > 0) printRows(rows, { placeOf: () => placeFlag(cwd) }, terminal);
  else if (unreadable === undefined) terminal.say(noRunsText(shownPath(workingDir, context.cwd), options));
  const away = json === true ? [] : recordsElsewhere(workingDir, context.environment);
  if (away.length > 0) terminal.note(`pawl: ${printable(elsewhereText(away, workingDir))}`);
  if (located.hasMore) terminal.note(`these are the newest ${count(rows.length)}; pawl fleet status counts all`);
  if (unreadable !== undefined) return EXIT_CODES.error;
  return stale === undefined ? EXIT_CODES.goal : STALE_EXIT_CODE;
}

async function listEverywhere({ cwd, json, imported }: ListOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  if (cwd !== undefined || imported === true) {
    const message = `lists the runs of every folder, and ${imported === true ? '--imported those of other tools' : '--cwd those of one'}`;
    throw new ConfigError([{ path: '', place: '--all', message }]);
  }
  const runs = new Map<string, ListedRun>();
  for (const folder of knownProjects(context.environment))
    for (const run of listRuns(folder, context.environment)) runs.set(run.runId, run);
  const isKnown = (runId: string) => runs.has(runId);
  for (const run of listRunsOfGoneFolders(context.environment, isKnown)) runs.set(run.runId, run);
  const rows = await recordedEntries([...runs.values()], (run) => folderIn(run, context), context);
  if (json === true) printJson(rows, terminal);
  else if (rows.length > 0) printRows(rows, { placeOf: (id) => placeFlag(runs.get(id)?.workingDir) }, terminal);
  else terminal.say('No runs yet; pawl run starts one.');
  return EXIT_CODES.goal;
}

function printJson(rows: readonly Entry[], terminal: Terminal): void {
  const listed = rows.map(({ json }) => json());
  terminal.raw(`${jsonText(listed, 2)}\n`);
}

/** A run in the list, whether its record was read or not. */
interface Entry {
  readonly runId: string;
  readonly cells: (id: string) => Cells;
  readonly json: () => object;
}

/** The newest first. */
async function entriesOf({ folder, rows, stale }: LocatedRuns, context: CommandContext): Promise<readonly Entry[]> {
  if (rows !== undefined) {
    return rows.map((run) => {
      const row = { run, stale };
      return { runId: run.id, cells: (id) => rowCells(row, id, context.now()), json: () => unbegunJson(row) };
    });
  }
  return recordedEntries(listRuns(folder, context.environment), () => undefined, context);
}

async function recordedEntries(
  runs: readonly ListedRun[],
  folderOf: (run: ListedRun) => string | undefined,
  context: CommandContext,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const run of runs) {
    // oxlint-disable-next-line no-await-in-loop -- each that has no snapshot holds a file open
    const row = await readListed(run);
    const folder = folderOf(run);
    entries.push({
      runId: run.runId,
      cells: (id) => cellsOf(row, id, folder, context),
      json: () => listedJson(row, context.environment),
    });
  }
  return entries.sort((a, b) => (idTime(a) < idTime(b) ? 1 : -1));
}

/** Shown where runs of several folders are listed. */
function folderIn({ workingDir }: ListedRun, { cwd }: CommandContext): string {
  return printable(shownPath(workingDir, cwd));
}

/** A ULID begins with its time. */
function idTime({ runId }: Entry): string {
  return runId.slice(runId.indexOf('_') + 1);
}

interface ListedPlace {
  /** What a command needs to find a run from here. */
  readonly placeOf: (runId: string) => string;
}

function printRows(rows: readonly Entry[], { placeOf }: ListedPlace, terminal: Terminal): void {
  const ids = rows.map(({ runId }) => runId);
  const short = shortIds(ids);
  const cells = rows.map((row) => row.cells(short(row.runId)));
  for (const line of table(cells, terminal)) terminal.say(line);
  if (!terminal.isScreen) return;
  const first = Math.max(
    0,
    cells.findIndex(({ status }) => status !== 'done'),
  );
  const command = `pawl status ${cells[first]?.id}${placeOf(rows[first]?.runId ?? '')}`;
  terminal.say();
  terminal.say(terminal.style('dim', `what happened, and what to do next: ${command}`));
}

function cellsOf(row: ListedRecord, id: string, folder: string | undefined, context: CommandContext): Cells {
  return {
    id,
    status: wordInFleet(fleetMarkOf(row.run, context.environment), row.state) ?? wordOf(row),
    ...doneCells(row.state),
    cost: costText(row.state),
    started: agoText(row.state.startedAt, context.now()),
    task: nameOf(row.run, row.state),
    why: [folder && `in ${folder}:`, whyOf(row, context), branchMark(row, context.environment)]
      .filter((text) => text !== undefined && text !== '')
      .join(' '),
  };
}

function wordOf({ state, run }: ListedRecord): string {
  return outcomeNow(state, run.holder !== undefined).word;
}

/** One that no one has begun has cost nothing, and has not started. */
function rowCells(row: UnbegunRun, id: string, nowMs: number): Cells {
  const { run } = row;
  const { lastSeq, iteration, startedAt, createdAt } = run;
  const status = unbegunWord(row);
  const why = whyText(run, nowMs);
  if (lastSeq === 0) {
    const submitted = `submitted ${agoText(createdAt, nowMs)}`;
    return { id, status, done: '', number: '', cost: '', started: '', task: '', why: why || submitted };
  }
  const done = plural(iteration, 'iteration');
  const started = agoText(startedAt, nowMs);
  return { id, status, done, number: count(iteration), cost: fleetCostText(run), started, task: '', why };
}

/** No one here can continue with what the fleet has given up. */
function whyOf(row: ListedRecord, context: CommandContext): string {
  const mark = fleetMarkOf(row.run, context.environment);
  if (mark === undefined) return whyListed(row, context.now());
  if (row.status === 'interrupted') return mark.error ?? 'pawl fleet status shows why';
  return whyListed(row, context.now()) || (endOf(row.state)?.class === 'operator' ? 'cancelled' : '');
}

/** A pipeline is measured in items: `12 of 30 items`. An iteration that has started counts, as it does in the status. */
function doneCells(state: RunState): Pick<Cells, 'done' | 'number'> {
  const { pipeline } = state;
  if (pipeline !== undefined) return { done: doneText(pipeline), number: undefined };
  const iterations = openIteration(state)?.iteration ?? state.iterations;
  return { done: plural(iterations, 'iteration'), number: count(iterations) };
}

function table(rows: readonly Cells[], terminal: Terminal): readonly string[] {
  // Where all are loops, the title says the unit.
  const isPlain = rows.every(({ number }) => number !== undefined);
  const { isScreen } = terminal;
  const columns = [
    { title: 'run' },
    { title: 'state', least: 11 },
    { title: isPlain ? 'iterations' : 'done', isNumber: true, least: 10 },
    { title: 'cost', isNumber: true, least: 7 },
    { title: 'started', least: 7 },
    // In a pipe each run is one line, with all of it.
    isScreen ? { title: 'task' } : { title: 'task: result', most: MOST_LINE },
  ];
  const cells = rows.map(({ id, status, done, number, cost, started, task, why }) => {
    const what = isScreen ? task : [task, why].filter((text) => text !== '').join(': ');
    return [id, status, isPlain ? (number ?? '') : done, cost, started, what];
  });
  return textTable(columns, cells, terminal, {
    gap: 1,
    below: (row) => (isScreen ? whyLines(rows[row]?.why ?? '', terminal) : []),
    narrow: {
      columns: TABLE_COLUMNS,
      lines: (row) => rows.slice(row, row + 1).flatMap((each) => stacked(each, terminal)),
    },
  });
}

function whyLines(why: string, terminal: Terminal): readonly string[] {
  if (why === '') return [];
  return wrap(oneLine(why, MOST_WHY), terminal.columns - 4).map((part) => `    ${part}`);
}

/** Where a table does not fit, each run has a few lines of its own. */
function stacked({ id, status, done, cost, started, task, why }: Cells, terminal: Terminal): readonly string[] {
  const figures = [status, done, cost === 'unknown' ? 'cost unknown' : cost, started];
  const texts = [
    figures.filter((text) => text !== '').join(', '),
    oneLine(task, terminal.columns - 2),
    oneLine(why, MOST_WHY),
  ].filter((text) => text !== '');
  return [id, ...texts.flatMap((text) => wrap(text, terminal.columns - 2)).map((line) => `  ${line}`)];
}

/** A run in a worktree of its own is known by its branch; in a fleet that is its id. */
function branchMark({ run, state: { spec } }: ListedRecord, environment: Environment): string {
  return spec?.worktree === undefined || fleetMarkOf(run, environment) !== undefined ? '' : `[${spec.worktree.branch}]`;
}
