import { listRuns } from '../../journal/list-runs.js';
import { whyRunsUnreadable } from '../../journal/unreadable-runs.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import type { RunState } from '../../model/run-state.js';
import { count, plural } from '../../stop/figures.js';
import { doneText } from '../terminal/attempt-text.js';
import { agoText } from '../terminal/clock-text.js';
import { jsonText } from '../terminal/json-text.js';
import { oneLine } from '../terminal/one-line.js';
import { printable } from '../terminal/printable.js';
import { shortId } from '../terminal/short-id.js';
import { shownPath } from '../terminal/shown-path.js';
import { costText, wholeCost } from '../terminal/spend-text.js';
import { fleetMarkOf, placeOfRuns } from './fleet-records.js';
import { type ListedRecord, readListed, whyListed } from './listed-record.js';
import { statusWord } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import { workJson } from './work-json.js';
import { type Terminal, wrap } from './terminal.js';

export interface ListOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

interface Cells {
  readonly id: string;
  readonly status: string;
  /** What it has done so far, with and without its unit. */
  readonly done: string;
  readonly number: string | undefined;
  readonly cost: string;
  readonly started: string;
  readonly why: string;
}

/** Below this a line of the table has no room for why. */
const TABLE_COLUMNS = 70;

/** The runs of a folder, newest first. */
export async function listCommand({ cwd, json }: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const workingDir = await placeOfRuns(runFolderOf(cwd).workingDir, terminal);
  const runs = listRuns(workingDir, process.env).toReversed();
  const rows: ListedRecord[] = [];
  // oxlint-disable-next-line no-await-in-loop -- each that has no snapshot holds a file open
  for (const run of runs) rows.push(await readListed(run));
  const unreadable = whyRunsUnreadable(workingDir);
  if (unreadable !== undefined) terminal.note(`pawl: ${printable(unreadable)}`);
  if (json === true) terminal.raw(`${jsonText(rows.map(listedJson), 2)}\n`);
  else if (rows.length > 0) printRows(rows, terminal);
  else if (unreadable === undefined)
    terminal.say(`No runs in ${printable(shownPath(workingDir))} yet; pawl run starts one.`);
  return unreadable === undefined ? EXIT_CODES.goal : EXIT_CODES.error;
}

function printRows(rows: readonly ListedRecord[], terminal: Terminal): void {
  const ids = rows.map(({ run }) => run.runId);
  const cells = rows.map((row) => cellsOf(row, shortId(row.run.runId, ids)));
  const lines =
    terminal.columns < TABLE_COLUMNS ? cells.flatMap((row) => stacked(row, terminal)) : table(cells, terminal);
  for (const line of lines) terminal.say(line);
}

function cellsOf(row: ListedRecord, id: string): Cells {
  return {
    id,
    status: statusWord(row.state, row.run.holder !== undefined),
    ...doneCells(row.state),
    cost: costText(row.state),
    started: agoText(row.state.startedAt, Date.now()),
    why: [branchMark(row.state), whyOf(row, id)].filter((text) => text !== '').join(' '),
  };
}

/** Nobody here can go on with what the fleet has given up. */
function whyOf(row: ListedRecord, id: string): string {
  const isGivenUp = row.status === 'interrupted' && fleetMarkOf(row.run) !== undefined;
  return isGivenUp ? 'pawl fleet status says why' : whyListed(row, id);
}

/** A pipeline is measured in items: `12 of 30 items`. */
function doneCells({ pipeline, iterations }: RunState): Pick<Cells, 'done' | 'number'> {
  if (pipeline !== undefined) return { done: doneText(pipeline), number: undefined };
  return { done: plural(iterations, 'iteration'), number: count(iterations) };
}

function table(rows: readonly Cells[], terminal: Terminal): readonly string[] {
  const idWidth = Math.max(...rows.map(({ id }) => id.length));
  // Where all are loops, the unit stands above.
  const isPlain = rows.every(({ number }) => number !== undefined);
  const doneWidth = isPlain ? 10 : Math.max(10, ...rows.map(({ done }) => done.length));
  const columns = (id: string, state: string, done: string, cost: string, started: string) =>
    [id.padEnd(idWidth), state.padEnd(11), done.padStart(doneWidth), cost.padStart(9), started.padEnd(9)].join(' ');
  const lines = rows.map(({ id, status, done, number, cost, started, why }) => {
    const line = columns(id, status, isPlain ? (number ?? '') : done, cost, started);
    return `${line} ${oneLine(why, Math.max(10, terminal.columns - line.length - 1))}`.trimEnd();
  });
  return [
    terminal.style('dim', `${columns('run', 'state', isPlain ? 'iterations' : 'done', 'cost', 'started')} why`),
    ...lines,
  ];
}

/** Where a table does not fit, each run has a few lines of its own. */
function stacked({ id, status, done, cost, started, why }: Cells, terminal: Terminal): readonly string[] {
  const figures = [status, done, cost === 'unknown' ? 'cost unknown' : cost, started];
  const texts = [figures.filter((text) => text !== '').join(', '), oneLine(why, 300)].filter((text) => text !== '');
  return [id, ...texts.flatMap((text) => wrap(text, terminal.columns - 2)).map((line) => `  ${line}`)];
}

/** A run in a worktree of its own is known by its branch. */
function branchMark({ spec }: RunState): string {
  return spec?.worktree === undefined ? '' : `[${spec.worktree.branch}]`;
}

/** For machines. */
export function listedJson({ run, state, status, problem }: ListedRecord) {
  const fleet = fleetMarkOf(run);
  return {
    runId: run.runId,
    status,
    live: run.holder !== undefined,
    pid: fleet === undefined ? run.holder?.pid : fleet.pid,
    fleet,
    kind: state.kind,
    ...workJson(state),
    activeMs: state.activeMs,
    costUsd: wholeCost(state),
    startedAt: state.startedAt,
    at: state.at,
    class: state.ended?.class,
    reasons: state.ended?.reasons.map(({ message }) => message),
    error: state.ended?.error,
    folder: run.folder,
    worktree: state.spec?.worktree,
    problem,
  };
}
