import { locateRun, type ListedRun } from '../../journal/list-runs.js';
import { formatDuration } from '../../model/duration.js';
import type { ExitCode } from '../../model/exit-code.js';
import { isEnding } from '../../model/is-ending.js';
import { isTerminal } from '../../model/loop-state.js';
import type { RunState } from '../../model/run-state.js';
import type { Judgement } from '../../model/verdict.js';
import { totalSpend } from '../../model/spend-account.js';
import { forecast } from '../../stop/forecast.js';
import { clockText, untilText } from '../terminal/clock-text.js';
import { commitsText } from '../terminal/commits-text.js';
import { endReport } from '../terminal/end-report.js';
import { judgementLines } from '../terminal/judgement-lines.js';
import { judgementsNow } from '../terminal/judgements-now.js';
import { labelledRows } from '../terminal/labelled-rows.js';
import { nextCommands } from '../terminal/next-steps.js';
import { pausedText, pendingText } from '../terminal/pending-text.js';
import { shownPath } from '../terminal/shown-path.js';
import { spendText } from '../terminal/spend-text.js';
import { stateAt } from '../terminal/state-at.js';
import { testsText } from '../terminal/tests-text.js';
import { placeFlag } from './drive-run.js';
import { exitCodeOfRecord, readRecord, type RunRecord, shownStatus, statusWord } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';
import { isWorktreeGone } from './worktree-gone.js';

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
    stopping: isEnding(state),
    hook: state.hook,
    spend: totalSpend(state.spend),
    activeMs: state.activeMs,
    startedAt: state.startedAt,
    at: state.at,
    tests: lastTests(state),
    verdict: state.verdict,
    judgements: isTerminal(state.status) ? undefined : judgementsNow(present(state, isLive)),
    ended: state.ended,
    folder: run.folder,
    problem,
  };
}

function printEnd(run: ListedRun, { state, isDamaged }: RunRecord, place: string, terminal: Terminal): void {
  const { runId, folder } = run;
  terminal.say(terminal.style('dim', `run ${runId}`));
  const ended = { runId, state, folder: shownPath(folder), place, isDamaged, isWorktreeGone: isWorktreeGone(run) };
  for (const line of endReport(ended, terminal)) terminal.say(line);
}

/** Nothing goes on where nobody runs it. */
function present(state: RunState, isLive: boolean): RunState {
  return isLive ? stateAt(state, Date.now()) : state;
}

function printNow(run: ListedRun, recorded: RunState, place: string, terminal: Terminal): void {
  const { runId, holder, folder } = run;
  const isLive = holder !== undefined;
  const state = present(recorded, isLive);
  const judgements = judgementsNow(state);
  const who = holder === undefined ? '' : `, process ${holder.pid} on ${holder.host}`;
  terminal.say(terminal.style('bold', `${runId} is ${statusWord(state, isLive)}${who}`));
  const tests = lastTests(state);
  const rows = [
    ['iteration', iterationText(state, isLive)],
    ['waiting', waitingText(state)],
    ['paused', isLive ? pausedText(state) : undefined],
    [isLive && isEnding(state) ? 'why' : 'asked', pendingText(state, isLive)],
    ['active time', formatDuration(state.activeMs)],
    ['spent', spendText(state)],
    ['tests', tests === undefined ? undefined : testsText(tests)],
    ['commits', commitsText(state)],
    ['closest', closestText(judgements, state)],
    ['record', shownPath(folder)],
    ['next', ...nextCommands(runId, state, isLive, place).map((command) => ({ command }))],
  ] as const;
  for (const line of labelledRows(rows, terminal)) terminal.say(line);
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

function lastTests({ latest, baseline }: RunState) {
  return latest.observation.tests ?? baseline?.tests;
}

/** What will stop the run first, as far as can be told. */
function closestText(judgements: readonly Judgement[], state: RunState): string | undefined {
  const [closest] = judgements
    .filter(({ class: stopClass, progress = 0 }) => stopClass !== 'goal' && progress > 0)
    .toSorted((a, b) => (b.progress ?? 0) - (a.progress ?? 0));
  if (closest === undefined) return undefined;
  const expected = forecast(state.policy, state).find(({ path }) => path === closest.path);
  const pace = expected === undefined ? '' : `; at this pace in iteration ${expected.iteration}`;
  return `${closest.sentence} (${closest.class})${pace}`;
}
