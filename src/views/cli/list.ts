import { type ListedRun, listRuns } from '../../journal/list-runs.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import type { RunState } from '../../model/run-state.js';
import { totalSpend } from '../../model/spend-account.js';
import { count, usd } from '../../stop/figures.js';
import { agoText } from '../terminal/clock-text.js';
import { oneLine } from '../terminal/one-line.js';
import { printable } from '../terminal/printable.js';
import { shortId } from '../terminal/short-id.js';
import { shownPath } from '../terminal/shown-path.js';
import { readRecord, shownStatus } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

export interface ListOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

interface Row {
  readonly run: ListedRun;
  readonly state: RunState;
  readonly status: string;
  readonly problem?: string | undefined;
}

/** The runs of a folder, newest first. */
export async function listCommand({ cwd, json }: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const { workingDir } = runFolderOf(cwd);
  const runs = listRuns(workingDir, process.env).toReversed();
  const rows = await Promise.all(runs.map(rowOf));
  if (json === true) terminal.raw(`${JSON.stringify(rows.map(jsonOf), null, 2)}\n`);
  else if (rows.length === 0) terminal.say(`No runs in ${printable(shownPath(workingDir))} yet; pawl run starts one.`);
  else printRows(rows, terminal);
  return EXIT_CODES.goal;
}

/** From the snapshot; a run without one is read from its journal. */
async function rowOf(run: ListedRun): Promise<Row> {
  const record = run.snapshot === undefined ? await readRecord(run) : { state: run.snapshot.state, problem: undefined };
  return { run, ...record, status: shownStatus(record.state, run.holder !== undefined) };
}

function printRows(rows: readonly Row[], terminal: Terminal): void {
  const ids = rows.map(({ run }) => run.runId);
  const short = ids.map((id) => shortId(id, ids));
  const idWidth = Math.max(...short.map((id) => id.length));
  const columns = (id: string, state: string, iterations: string, cost: string, started: string) =>
    [id.padEnd(idWidth), state.padEnd(11), iterations.padStart(10), cost.padStart(9), started.padEnd(9)].join(' ');
  terminal.say(terminal.style('dim', `${columns('run', 'state', 'iterations', 'cost', 'started')} why`));
  for (const [index, row] of rows.entries()) {
    const { costUsd } = totalSpend(row.state.spend);
    const cost = costUsd === undefined ? 'unknown' : usd(costUsd);
    const started = agoText(row.state.startedAt, Date.now());
    const line = columns(short[index] ?? '', row.status, count(row.state.iterations), cost, started);
    const why = oneLine(whyOf(row, short[index] ?? ''), Math.max(10, terminal.columns - line.length - 1));
    terminal.say(`${line} ${why}`.trimEnd());
  }
}

function whyOf({ state, status, problem }: Row, id: string): string {
  if (status === 'interrupted') return `pawl resume ${id}`;
  return problem ?? state.ended?.error ?? state.ended?.reasons[0]?.message ?? '';
}

function jsonOf({ run, state, status, problem }: Row) {
  return {
    runId: run.runId,
    status,
    live: run.holder !== undefined,
    pid: run.holder?.pid,
    iterations: state.iterations,
    activeMs: state.activeMs,
    costUsd: totalSpend(state.spend).costUsd,
    startedAt: state.startedAt,
    at: state.at,
    class: state.ended?.class,
    reasons: state.ended?.reasons.map(({ message }) => message),
    error: state.ended?.error,
    folder: run.folder,
    problem,
  };
}
