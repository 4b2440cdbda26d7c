import { locateRun, type ListedRun } from '../../journal/list-runs.js';
import { formatDuration } from '../../model/duration.js';
import type { ExitCode } from '../../model/exit-code.js';
import { isActive, isTerminal } from '../../model/loop-state.js';
import type { RunState } from '../../model/run-state.js';
import { totalSpend } from '../../model/spend-account.js';
import { forecast } from '../../stop/forecast.js';
import { clockText, untilText } from '../terminal/clock-text.js';
import { commitsText } from '../terminal/commits-text.js';
import { endReport } from '../terminal/end-report.js';
import { judgementLines } from '../terminal/judgement-lines.js';
import { labelledRows } from '../terminal/labelled-rows.js';
import { nextCommands } from '../terminal/next-steps.js';
import { pendingText } from '../terminal/pending-text.js';
import { shownPath } from '../terminal/shown-path.js';
import { spendText } from '../terminal/spend-text.js';
import { testsText } from '../terminal/tests-text.js';
import { placeFlag } from './drive-run.js';
import { exitCodeOfRecord, readRecord, type RunRecord, shownStatus } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

export interface StatusOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Where a run is now, or how it ended. */
export async function statusCommand(
  reference: string | undefined,
  { cwd, json }: StatusOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const run = locateRun(runFolderOf(cwd).workingDir, reference, process.env);
  const record = await readRecord(run);
  if (json === true) terminal.raw(`${JSON.stringify(jsonOf(run, record), null, 2)}\n`);
  else if (isTerminal(record.state.status)) printEnd(run, record, placeFlag(cwd), terminal);
  else printNow(run, record.state, placeFlag(cwd), terminal);
  return exitCodeOfRecord(record, terminal);
}

function jsonOf(run: ListedRun, { state, problem }: RunRecord) {
  const isLive = run.holder !== undefined;
  return {
    runId: run.runId,
    status: shownStatus(state, isLive),
    live: isLive,
    pid: run.holder?.pid,
    iterations: state.iterations,
    open: state.open,
    waiting: state.waiting,
    pauseAsked: state.pauseAsked,
    operatorStop: state.operatorStop,
    spend: totalSpend(state.spend),
    activeMs: state.activeMs,
    startedAt: state.startedAt,
    at: state.at,
    tests: lastTests(state),
    verdict: state.verdict,
    ended: state.ended,
    folder: run.folder,
    problem,
  };
}

function printEnd(run: ListedRun, { state, isDamaged }: RunRecord, place: string, terminal: Terminal): void {
  const { runId, folder } = run;
  terminal.say(terminal.style('dim', `run ${runId}`));
  const ended = { runId, state, folder: shownPath(folder), place, isDamaged };
  for (const line of endReport(ended, terminal)) terminal.say(line);
}

function printNow(run: ListedRun, state: RunState, place: string, terminal: Terminal): void {
  const { runId, holder, folder } = run;
  const status = shownStatus(state, holder !== undefined);
  const who = holder === undefined ? '' : `, process ${holder.pid} on ${holder.host}`;
  terminal.say(terminal.style('bold', `${runId} is ${status}${who}`));
  const tests = lastTests(state);
  const rows = [
    ['iteration', iterationText(state, holder !== undefined)],
    ['waiting', waitingText(state)],
    ['asked', pendingText(state)],
    ['active time', formatDuration(activeMsNow(state, holder !== undefined))],
    ['spent', spendText(state)],
    ['tests', tests === undefined ? undefined : testsText(tests)],
    ['commits', commitsText(state)],
    ['closest', closestText(state)],
    ['record', shownPath(folder)],
    ['next', ...nextCommands(runId, state, holder !== undefined, place).map((command) => ({ command }))],
  ] as const;
  for (const line of labelledRows(rows, terminal)) terminal.say(line);
  const judgements = state.verdict?.judgements ?? [];
  if (judgements.length > 0) terminal.say();
  for (const judgement of judgements) for (const line of judgementLines(judgement, terminal)) terminal.say(line);
}

function iterationText({ open, iterations }: RunState, isLive: boolean): string {
  if (open === undefined) return `${iterations} done, none under way`;
  const since = clockText(open.startedAt, Date.now());
  if (!isLive) return `${open.iteration}, begun at ${since} and not ended`;
  return `${open.iteration}, for ${formatDuration(Date.now() - Date.parse(open.startedAt))} since ${since}`;
}

function waitingText({ waiting }: RunState): string | undefined {
  if (waiting === undefined) return undefined;
  const until = waiting.until === undefined ? '' : ` ${untilText(waiting.until, Date.now())}`;
  return `for ${waiting.for.replace('-', ' ')}${until}`;
}

/** The record knows the time of its last event; an agent that works has gone on since. */
function activeMsNow({ activeMs, at, status }: RunState, isLive: boolean): number {
  const sinceMs = isLive && isActive(status) ? Date.now() - Date.parse(at ?? '') : 0;
  return activeMs + Math.max(0, sinceMs || 0);
}

function lastTests({ latest, baseline }: RunState) {
  return latest.observation.tests ?? baseline?.tests;
}

/** What will stop the run first, as far as can be told. */
function closestText(state: RunState): string | undefined {
  const [closest] = (state.verdict?.judgements ?? [])
    .filter(({ class: stopClass, progress = 0 }) => stopClass !== 'goal' && progress > 0)
    .toSorted((a, b) => (b.progress ?? 0) - (a.progress ?? 0));
  if (closest === undefined) return undefined;
  const expected = forecast(state.policy, state).find(({ path }) => path === closest.path);
  const pace = expected === undefined ? '' : `; at this pace in iteration ${expected.iteration}`;
  return `${closest.sentence} (${closest.class})${pace}`;
}
