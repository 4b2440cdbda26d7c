import { shownStatus } from '../../../model/outcome.js';
import { type ListedRun, locateRun } from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { hasEnded } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { createExplanation, type Explanation } from '../../../replay/explain.js';
import { plural } from '../../../model/figures.js';
import { type RunSummary, summariseRun } from '../../../stop/run-summary.js';
import { clockText } from '../../../words/clock-text.js';
import { explanationLines, pastSummary } from '../../text/explanation-lines.js';
import { nextRows, stepRows } from '../../text/end-report.js';
import { jsonText } from '../../text/json-text.js';
import { labelledRows } from '../../text/labelled-rows.js';
import { nextCommands } from '../../../words/next-steps.js';
import { stateAt } from '../../../words/state-at.js';
import { placeFlag } from '../../../app/run-folder.js';
import { endInFleet, fleetCommands, fleetMarkOf, keptLines } from '../../../app/fleet-records.js';
import { noSuchIteration } from '../inspect/no-such-iteration.js';
import { exitCodeOfRecord, readRecord, type RunRecord } from '../../../app/read-record.js';
import { NO_RUN, problemOf } from '../../../app/recorded-runs.js';
import { findRuns } from '../../../app/replay-runs.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { type StaleCopy, staleJson, staleSummary } from '../../../app/stale-copy.js';
import { titleLine } from '../inspect/status.js';
import { isWorktreeGone } from '../../../app/worktree-gone.js';
import type { CommandContext } from '../command-context.js';

export interface ExplainCommandOptions {
  readonly at?: string;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Why a run stopped, or what is closest to stopping it. */
export async function explainCommand(
  reference: string | undefined,
  { at, cwd, json }: ExplainCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const iteration = iterationOf(at);
  const { run, stale } = await oneRun(reference, runFolderOf(cwd, context).workingDir, context);
  const explained = await explainRun(run, context.now(), iteration, stale);
  if (json === true) terminal.raw(`${jsonText(explainedJson(explained), 2)}\n`);
  else for (const line of explainedLines(explained, context, placeFor(reference, cwd))) terminal.say(line);
  return exitCodeOfRecord({ ...explained.record, problem: explained.problem }, terminal);
}

/** A run and why it stopped, or goes on. */
export interface ExplainedRecord {
  readonly run: ListedRun;
  readonly record: RunRecord;
  readonly explanation: Explanation;
  /** For machines. */
  readonly status: string;
  readonly summary: RunSummary;
  /** A moment before the last is explained. */
  readonly isPast: boolean;
  readonly isLive: boolean;
  readonly problem?: string | undefined;
  /** Of a run that had not ended: nobody knows what became of it since. */
  readonly stale?: StaleCopy | undefined;
}

/** Throws ConfigError when there is nothing of it to explain, or it has had no such iteration. */
export async function explainRun(
  run: ListedRun,
  nowMs: number,
  iteration?: number,
  copy?: StaleCopy,
): Promise<ExplainedRecord> {
  const reading = createExplanation({ iteration });
  const record = await readRecord(run, (event) => reading.see(event));
  const { state, isDamaged } = record;
  const isLive = run.holder !== undefined;
  const stale = hasEnded(state) || iteration !== undefined ? undefined : copy;
  const problem = problemOf(record, isLive);
  if (state.kind === undefined && !isLive) {
    const message = `${run.runId}: ${NO_RUN}${problem === undefined ? '' : `: ${problem}`}`;
    throw new ConfigError([{ path: '', message }]);
  }
  const explanation = reading.endAt(
    isLive && iteration === undefined && stale === undefined ? stateAt(state, nowMs) : state,
  );
  if (explanation === undefined) throw noSuchIteration(run.runId, iteration ?? 0, state);
  const status = statusOf(explanation, state, isLive, isDamaged);
  const isPast = explanation.resumed !== undefined || isEarlier(explanation, state);
  const clock = (at: string) => clockText(at, nowMs);
  const now = summariseRun(state, { isLive: isLive && stale === undefined, isDamaged, clock });
  const summary = isPast ? pastSummary(explanation) : stale === undefined ? now : staleSummary(state, stale, nowMs);
  return { run, record, explanation, status, summary, isPast, isLive, problem, stale };
}

/** For machines. */
export function explainedJson({ run, record, explanation, status, isLive, problem, stale }: ExplainedRecord) {
  const stands = { status, live: isLive, ...staleJson(status, false, stale) };
  return { ...explanation, runId: record.state.runId ?? run.runId, ...stands, problem };
}

/** `place`: what a suggested command needs to find the run; undefined where none can. */
export function explainedLines(explained: ExplainedRecord, context: CommandContext, place?: string): readonly string[] {
  const { run, record, explanation, summary, isPast, status, stale } = explained;
  const { terminal } = context;
  const state = isPast ? undefined : record.state;
  const isInterrupted = !isPast && stale === undefined && status === 'interrupted';
  const named = { explanation, summary, isLive: !explanation.stop, isInterrupted, state };
  const next = isPast || place === undefined ? [] : nextOf(explained, place, context);
  return [
    titleLine(run, record.state, terminal),
    ...explanationLines(named, terminal),
    ...keptLines(fleetMarkOf(run, context.environment)),
    ...(next.length === 0 ? [] : ['', ...labelledRows([['next', ...next]], terminal)]),
  ];
}

/** The same as in the report on the end of the run, or in its status. */
function nextOf({ run, record, stale, isLive }: ExplainedRecord, place: string, context: CommandContext) {
  const { runId, folder } = run;
  const { state, isDamaged } = record;
  if (hasEnded(state)) {
    const about = { isWorktreeGone: isWorktreeGone(run), ...endInFleet(run, context.environment) };
    return nextRows({ runId, state, folder, place, isDamaged, ...about }, context);
  }
  if (isDamaged || stale !== undefined) return [];
  const isOfFleet = fleetMarkOf(run, context.environment) !== undefined;
  const commands = isOfFleet
    ? fleetCommands(runId, state, isLive)
    : nextCommands(runId, state, isLive, context.now(), place);
  return stepRows(commands, state);
}

/** A run that is given by the path of its record is in no project where a command would find it by its id. */
function placeFor(reference: string | undefined, cwd: string | undefined): string | undefined {
  return reference !== undefined && /[/.]/.test(reference) ? undefined : placeFlag(cwd);
}

interface OneRun {
  readonly run: ListedRun;
  readonly stale?: StaleCopy | undefined;
}

/** A folder may hold many, and `all` means all: only one can be explained. */
async function oneRun(reference: string | undefined, workingDir: string, context: CommandContext): Promise<OneRun> {
  if (reference === undefined) return { run: locateRun(workingDir, reference, context.environment) };
  const [found, ...others] = await findRuns([reference], workingDir, context);
  if (found !== undefined && others.length === 0) return found;
  const message = `${JSON.stringify(reference)} means ${plural(others.length + 1, 'run')}; explain takes one: give its id or its path`;
  throw new ConfigError([{ path: '', message }]);
}

/** At an iteration before the last the run went on, whatever became of it. */
function statusOf(explanation: Explanation, state: RunState, isLive: boolean, isDamaged: boolean): string {
  if (explanation.resumed !== undefined) return 'stopped';
  if (isEarlier(explanation, state)) return explanation.stop ? 'stopped' : 'continued';
  return isDamaged && !hasEnded(state) ? 'damaged' : shownStatus(state, isLive);
}

function isEarlier({ iteration, stop }: Explanation, state: RunState): boolean {
  return iteration < state.iterations || (hasEnded(state) && !stop);
}

function iterationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const message = `${JSON.stringify(text)} is not the number of an iteration`;
  throw new ConfigError([{ path: '', place: '--at', message }]);
}
