import { shownStatus } from '../../../model/outcome.js';
import { listRunIds, type ListedRun, locateRun } from '../../../journal/list-runs.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { endOf, hasEnded } from '../../../model/phase.js';
import type { IterationSummary } from '../../../model/run-state.js';
import { summariseRun } from '../../../stop/run-summary.js';
import { clockText } from '../../../words/clock-text.js';
import { endReport, summaryLines } from '../../text/end-report.js';
import { tableHead, tableLines, verdictDifference } from '../../text/iteration-table.js';
import { jsonText } from '../../text/json-text.js';
import { pendingText } from '../../../words/next-steps.js';
import { policyLines } from '../../text/policy-lines.js';
import { printable } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { shownRecord } from '../../../app/shown-record.js';
import { placeFlag } from '../../../app/run-folder.js';
import { endInFleet, fleetMarkOf, keptLines, lookForRun } from '../../../app/fleet-records.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';
import {
  exitCodeOfRecord,
  isEmptyRecord,
  NOTHING_RECORDED,
  readRecord,
  type RunRecord,
} from '../../../app/read-record.js';
import { runAndIteration } from './run-and-iteration.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { showItem } from './show-item.js';
import { showIteration } from './show-iteration.js';
import { showPipeline } from './show-pipeline.js';
import { type StaleCopy, staleJson, staleSummary } from '../../../app/stale-copy.js';
import { type Terminal, wrap } from '../../text/terminal.js';
import { showUnbegun } from './show-unbegun.js';
import { isWorktreeGone } from '../../../app/worktree-gone.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';

export interface ShowOptions {
  readonly cwd?: string;
  readonly json?: boolean;
}

/** A run from its beginning to its end, or one iteration of it. */
export async function showCommand(
  reference: string | undefined,
  iteration: string | undefined,
  options: ShowOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const located = await lookForRun(runFolderOf(options.cwd, context).workingDir, reference, context);
  const { folder: workingDir, unbegun, stale } = located;
  if (unbegun !== undefined) return showUnbegun(unbegun, options.json === true, context);
  const item = itemOf(workingDir, reference, iteration, context.environment);
  if (item !== undefined) return showItem(item.run, item.id, options.json === true, context);
  const asked = runAndIteration(reference, iteration, listRunIds(workingDir, context.environment));
  const run = locateRun(workingDir, asked.run, context.environment);
  if (asked.iteration !== undefined) return showIteration(run, asked.iteration, options, context);
  if (isPipelineId(run.runId)) {
    const sayEnd = (record: RunRecord) => printEnd(run, record, { place: placeFlag(options.cwd), stale }, context);
    return showPipeline(run, options.json === true, sayEnd, terminal);
  }
  return options.json === true ? showJson(run, stale, terminal) : showRun(run, options, stale, context);
}

/** What stands after a pipeline is the id of an item, and so is a number alone after one. */
function itemOf(
  workingDir: string,
  reference: string | undefined,
  named: string | undefined,
  environment: Environment,
): { readonly run: ListedRun; readonly id: string } | undefined {
  const ids = listRunIds(workingDir, environment);
  if (!ids.some(isPipelineId)) return undefined;
  if (named !== undefined) {
    const run = locateRun(workingDir, reference, environment);
    return isPipelineId(run.runId) ? { run, id: named } : undefined;
  }
  const isNumber =
    /^\d/.test(reference ?? '') && runAndIteration(reference, undefined, ids, { first: 0 }).iteration !== undefined;
  const latest = isNumber ? locateRun(workingDir, undefined, environment) : undefined;
  return latest !== undefined && isPipelineId(latest.runId) ? { run: latest, id: reference ?? '' } : undefined;
}

async function showRun(
  run: ListedRun,
  { cwd }: ShowOptions,
  stale: StaleCopy | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const lines: string[] = [];
  const record = await readRecord(run, (event, before, after) => {
    lines.push(...tableLines(event, before, after, terminal));
  });
  const { state } = record;
  if (state.spec !== undefined) {
    const { kind, spec, policy } = state;
    for (const line of policyLines({ runId: run.runId, kind, spec, policy }, terminal)) terminal.say(line);
  }
  if (lines.length > 0) terminal.say();
  for (const line of [...(lines.length === 0 ? [] : tableHead(terminal)), ...lines]) terminal.say(line);
  terminal.say();
  printEnd(run, record, { place: placeFlag(cwd), stale }, context);
  return exitCodeOfRecord(record, terminal);
}

interface Shown {
  readonly place: string;
  readonly stale: StaleCopy | undefined;
}

function printEnd(
  run: ListedRun,
  { state, items, isDamaged }: RunRecord,
  { place, stale }: Shown,
  context: CommandContext,
): void {
  const { terminal } = context;
  const { runId, holder } = run;
  if (hasEnded(state)) {
    const about = { isWorktreeGone: isWorktreeGone(run), ...endInFleet(run, context.environment) };
    const ended = { runId, state, items, folder: shownRecord(run, context.cwd), place, isDamaged, ...about };
    for (const line of endReport(ended, context)) terminal.say(line);
    return;
  }
  const isLive = holder !== undefined;
  const fleet = fleetMarkOf(run, context.environment);
  const id = shortId(runId);
  const summary =
    stale === undefined
      ? summariseRun(state, { isLive, isDamaged, clock: (at) => clockText(at, context.now()) })
      : staleSummary(state, stale, context.now());
  const asked = isDamaged ? undefined : pendingText(state, isLive);
  const next = isDamaged
    ? 'the rest cannot be read, so the run cannot be resumed'
    : isEmptyRecord(state, isLive)
      ? NOTHING_RECORDED
      : stale !== undefined
        ? undefined
        : isLive
          ? `pawl status ${id}${place} shows where it is`
          : fleet === undefined
            ? `pawl resume ${id}${place} continues it`
            : 'pawl fleet status shows what happened to it';
  for (const line of summaryLines(summary, terminal)) terminal.say(line);
  for (const line of wrap(printable(asked ?? ''), terminal.columns)) if (line !== '') terminal.say(line);
  if (next !== undefined) terminal.say(terminal.style('dim', next));
  for (const line of keptLines(fleet)) terminal.say(line);
}

async function showJson(run: ListedRun, stale: StaleCopy | undefined, terminal: Terminal): Promise<ExitCode> {
  const iterations: (IterationSummary & { readonly verdictDiffers?: true })[] = [];
  const record = await readRecord(run, (event, before, after) => {
    const last = after.recent.at(-1);
    if (event.type === 'iteration-ended' && last !== undefined) iterations.push(last);
    if (event.type !== 'verdict-reached' || verdictDifference(event.verdict, before).length === 0) return;
    const judged = iterations.pop();
    if (judged !== undefined) iterations.push({ ...judged, verdictDiffers: true });
  });
  const { runId, startedAt, spec, policy, baseline, history } = record.state;
  const ended = endOf(record.state);
  const status = shownStatus(record.state, run.holder !== undefined);
  const { folder } = run;
  const report = {
    runId,
    status,
    startedAt,
    spec,
    policy,
    baseline,
    iterations,
    history,
    ended,
    folder,
    problem: record.problem,
    ...staleJson(status, hasEnded(record.state), stale),
  };
  terminal.raw(`${jsonText(report, 2)}\n`);
  return exitCodeOfRecord(record, terminal);
}
