import type { ListedRun } from '../../journal/list-runs.js';
import { formatDuration } from '../../model/duration.js';
import { hasEnded, isEnding, openIteration } from '../../model/phase.js';
import { count } from '../../model/figures.js';
import { policyEntries } from '../../model/policy.js';
import type { RunState } from '../../model/run-state.js';
import type { Judgement } from '../../model/verdict.js';
import { forecast } from '../../stop/forecast.js';
import { summariseRun } from '../../stop/run-summary.js';
import { agoText, clockText, untilText } from '../../words/clock-text.js';
import { commitsText, goalRows, lostGreenRows, endReport, stepRows, summaryLines } from './end-report.js';
import { itemForecast } from '../../words/item-figures.js';
import { judgementLines } from './judgement-lines.js';
import { judgementsNow } from '../../stop/evaluate-policy.js';
import { type LabelledRow, labelledRows } from './labelled-rows.js';
import { nextCommands, pausedText, pendingText } from '../../words/next-steps.js';
import { oneLine, textWidth } from '../../words/printable.js';
import { pipelineRows } from './pipeline-rows.js';
import { runFilesText } from '../../words/run-files-text.js';
import type { OpenAttempt, ShownItems } from '../../model/shown-items.js';
import { shownRecord } from '../../app/shown-record.js';
import { sentenceWhileOpen, spendText } from '../../words/spend-text.js';
import { testsText } from '../../words/iteration-text.js';
import { waitingItems, waitsText } from '../../words/waiting-items.js';
import { startText } from '../../words/where-text.js';
import { endInFleet, fleetCommands, fleetMarkOf, fleetText, wordInFleet } from '../../app/fleet-records.js';
import { readLatest, type RunRecord } from '../../app/read-record.js';
import { present } from '../../app/status-json.js';
import { type StaleCopy, staleSummary } from '../../app/stale-copy.js';
import { nameOf } from '../../app/task-of.js';
import type { Terminal } from './terminal.js';
import { isWorktreeGone } from '../../app/worktree-gone.js';
import type { TextContext } from './text-context.js';

/** Of the attempts under way. */
const MOST_OPEN = 8;
const LEAST_NAME = 12;

/** For people. `place`: what a suggested command needs to find the run. */
export function statusLines(
  run: ListedRun,
  record: RunRecord,
  context: TextContext,
  place = '',
  stale?: StaleCopy,
): readonly string[] {
  if (hasEnded(record.state)) return endLines(run, record, place, context);
  return nowLines(run, record, { place, stale }, context);
}

function endLines(run: ListedRun, record: RunRecord, place: string, context: TextContext): readonly string[] {
  const { runId } = run;
  const { state, items, isDamaged } = record;
  const about = { isWorktreeGone: isWorktreeGone(run), ...endInFleet(run, context.environment) };
  const ended = { runId, state, items, folder: shownRecord(run, context.cwd), place, isDamaged, ...about };
  return [titleLine(run, state, context.terminal), ...endReport(ended, context)];
}

/** Which run it is, and what it is for. */
export function titleLine(run: ListedRun, state: RunState, terminal: Terminal, who = ''): string {
  const title = `run ${run.runId}${who}`;
  const room = terminal.columns - textWidth(title) - 2;
  const name = room < LEAST_NAME ? '' : `: ${oneLine(nameOf(run, state), room)}`;
  return terminal.style('dim', `${title}${name}`);
}

/** The same above what is shown of a run on a screen; nothing in a pipe. */
export async function sayTitle(run: ListedRun, terminal: Terminal): Promise<void> {
  if (!terminal.isScreen) return;
  terminal.say(titleLine(run, run.snapshot?.state ?? (await readLatest(run)).state, terminal));
  terminal.say();
}

function nowLines(
  run: ListedRun,
  record: RunRecord,
  { place, stale }: { readonly place: string; readonly stale: StaleCopy | undefined },
  context: TextContext,
): readonly string[] {
  const { terminal } = context;
  const { runId } = run;
  const { state: recorded, items } = record;
  // No one knows what continues behind a copy.
  const holder = stale === undefined ? run.holder : undefined;
  const isLive = holder !== undefined;
  const state = present(recorded, isLive, context.now());
  const judgements = judgementsNow(state);
  const isPipeline = state.pipeline !== undefined;
  // What halts a pipeline stands among its figures.
  const shown = isPipeline ? judgements.filter((judgement) => judgement.class === 'limit') : judgements;
  const fleet = fleetMarkOf(run, context.environment);
  const who = holder === undefined ? '' : `, ${fleet ? fleetText(fleet) : `process ${holder.pid} on ${holder.host}`}`;
  const summary =
    stale === undefined
      ? summariseRun(state, { isLive, clock: (at) => untilText(at, context.now()).replace(/^until /, '') })
      : staleSummary(recorded, stale, context.now());
  const inFleet = wordInFleet(fleet, state);
  const next = fleet ? fleetCommands(runId, state, isLive) : nextCommands(runId, state, isLive, context.now(), place);
  const rows = [
    ...workRows({ runId, holder }, state, items, place, context.now()),
    ['paused', state.hook === undefined || !isLive ? undefined : pausedText(state)],
    [isLive && isEnding(state) ? 'why' : 'asked', pendingText(state, isLive)],
    ['started', isLive ? startedText(state, context.now()) : undefined],
    ['spent', spendText(state)],
    ['tests', testsSoFar(state)],
    ...goalRows(state),
    ['files', isLive || isPipeline ? undefined : filesText(state)],
    ...(isLive || fleet !== undefined ? [] : lostGreenRows(state, { runId, place, nowMs: context.now() })),
    ['commits', commitsText(state)],
    ['closest stop', isLive && !isPipeline ? closestText(judgements, state) : undefined],
    ['kept', fleet?.kept === undefined ? undefined : { path: fleet.kept }],
    ['record', { path: shownRecord(run, context.cwd) }],
    ['next', ...stepRows(next, state)],
  ] satisfies LabelledRow[];
  return [
    titleLine(run, state, terminal, `${inFleet === undefined ? '' : `, ${inFleet}`}${who}`),
    ...summaryLines(summary, terminal),
    ...labelledRows(rows, terminal),
    ...(shown.length > 0 ? ['', terminal.style('dim', 'stop conditions')] : []),
    ...shown.flatMap((judgement) => judgementLines(withOpen(judgement, state, isLive), terminal)),
  ];
}

function withOpen(judgement: Judgement, state: RunState, isLive: boolean): Judgement {
  const entry = policyEntries(state.policy).find(({ path }) => path === judgement.path);
  if (entry === undefined || judgement.progress === undefined) return judgement;
  return { ...judgement, sentence: sentenceWhileOpen(entry.condition, judgement.sentence, state, isLive) };
}

/** `23:10 (2h ago), active 1h 50m`: without waits and pauses it is active. */
function startedText({ startedAt, activeMs }: RunState, nowMs: number): string | undefined {
  if (startedAt === undefined) return undefined;
  const ago = agoText(startedAt, nowMs);
  return `${clockText(startedAt, nowMs)} (${ago === 'now' ? 'just now' : ago}), active ${formatDuration(activeMs)}`;
}

function workRows(
  { runId, holder }: Pick<ListedRun, 'runId' | 'holder'>,
  state: RunState,
  items: ShownItems,
  place: string,
  nowMs: number,
): readonly LabelledRow[] {
  const isLive = holder !== undefined;
  if (state.pipeline === undefined) return [['iteration', iterationText(state, isLive, nowMs)]];
  const [counts, ...others] = pipelineRows(runId, state, items, place);
  const left = isLive && !isEnding(state) ? itemForecast(state) : undefined;
  const open = items.open.slice(0, MOST_OPEN).map((attempt) => openText(attempt, isLive, nowMs));
  const more = items.open.length - open.length;
  return [
    ...(counts === undefined ? [] : [counts]),
    ['pace', left && `${left.rate}, about ${formatDuration(left.leftMs)} left`],
    [isLive ? 'in progress' : 'not ended', ...open, more > 0 ? `${more} more` : undefined],
    ['waiting', ...waitTexts(isLive ? waitingItems(state, items, nowMs) : [])],
    ...others,
  ];
}

/** What looks as if nothing happened: the next attempts come after a while. */
function waitTexts(waiting: ReturnType<typeof waitingItems>): readonly (string | undefined)[] {
  const more = waiting.length - MOST_OPEN;
  const shown = waiting.slice(0, MOST_OPEN).map((each) => `${oneLine(each.item, 60)} ${waitsText(each)}`);
  return [...shown, more > 0 ? `${more} more` : undefined];
}

function openText({ item, attempt, startedAt }: OpenAttempt, isLive: boolean, nowMs: number): string {
  const since = Math.max(0, nowMs - Date.parse(startedAt));
  return `${oneLine(item, 60)}, attempt ${attempt}${isLive ? `, for ${formatDuration(since)}` : ''}`;
}

function iterationText(state: RunState, isLive: boolean, nowMs: number): string {
  const { iterations } = state;
  const open = openIteration(state);
  const start = isLive ? startText(state, nowMs) : undefined;
  if (open === undefined) return start ?? `${iterations} done, none in progress`;
  const since = clockText(open.startedAt, nowMs);
  if (!isLive) return `${open.iteration}, started ${since}, did not finish`;
  return `${open.iteration}, for ${formatDuration(nowMs - Date.parse(open.startedAt))} since ${since}`;
}

/** What the iteration that was cut short changed has no snapshot. */
function filesText(state: RunState): string | undefined {
  const open = openIteration(state);
  const changed = runFilesText(state);
  if (open?.pid === undefined) return changed;
  return `${changed === undefined ? '' : `${changed}; `}what iteration ${count(open.iteration)} changed is not known`;
}

/** Those of the last iteration that has ended; at the start of a run or after a resume those of the start. */
function testsSoFar({ latest, factsBefore, baseline, iterations }: RunState): string | undefined {
  const last = latest.observation.tests ?? factsBefore?.observation.tests;
  if (last !== undefined)
    return `${testsText(last)}${iterations === 0 ? '' : ` (after iteration ${count(iterations)})`}`;
  return baseline?.tests === undefined ? undefined : `before: ${testsText(baseline.tests)}`;
}

/** What will stop the run first, as far as can be told. */
function closestText(judgements: readonly Judgement[], state: RunState): string | undefined {
  const [closest] = judgements
    .filter(({ class: stopClass, progress = 0 }) => stopClass !== 'goal' && progress > 0)
    .toSorted((a, b) => (b.progress ?? 0) - (a.progress ?? 0));
  if (closest === undefined) return undefined;
  const expected = forecast(state.policy, state).find(({ path }) => path === closest.path);
  const pace = expected === undefined ? '' : `; at this pace in iteration ${expected.iteration}`;
  return `${closest.sentence}${pace}`;
}
