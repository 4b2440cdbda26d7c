import { existsSync } from 'node:fs';
import { CONDITION_CATALOG } from '../../model/condition-catalog.js';
import { leavesOf, type StopCondition } from '../../model/condition.js';
import { list, plural, quote } from '../../model/figures.js';
import { wordOf, type Tone } from '../../model/outcome.js';
import { endOf, loopStateOf, type GreenSeen } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import type { ShownItems } from '../../model/shown-items.js';
import { isSilent, unpricedModels } from '../../model/spend-account.js';
import { nextStepsOf, summariseRun, type RunSummary, preconditionOf } from '../../stop/run-summary.js';
import { isJudgedAlone } from '../../stop/summary-notes.js';
import type { TextContext } from './text-context.js';
import type { Surroundings } from '../../app/surroundings.js';
import { shellWord, printable } from '../../words/printable.js';
import { clockText } from '../../words/clock-text.js';
import { dayLimitPlace } from '../../app/day-limit-place.js';
import { iterationsText, testsThenAndNow, passedText } from '../../words/iteration-text.js';
import { type LabelledRow, labelledRows, type RowText } from './labelled-rows.js';
import { nextSteps, pendingText } from '../../words/next-steps.js';
import { pipelineRows } from './pipeline-rows.js';
import { endedBy, isDayLimit, isSilentForDay, isWithoutPrice } from '../../words/raised-flag.js';
import { runFilesText } from '../../words/run-files-text.js';
import { shortId } from '../../words/short-id.js';
import { spendText } from '../../words/spend-text.js';
import { type Style, type Terminal, wrap } from './terminal.js';
import { lostGreen } from '../../model/progress.js';
import { bestToKeep, type GoalFigure, goalFigures } from '../../stop/what-is-left.js';
import { whenText } from '../../words/restored-text.js';

export interface EndedRun {
  readonly runId: string;
  readonly state: RunState;
  /** A pipeline: what is known of its items beyond the state. */
  readonly items?: ShownItems | undefined;
  /** Why the run itself broke, when not even that could be recorded. */
  readonly error?: string | undefined;
  /** Where its files are, as it is to be shown. */
  readonly folder: string;
  /** What a command needs to find it from here. */
  readonly place?: string | undefined;
  /** Its record cannot be read in full, so that nothing can continue with it. */
  readonly isDamaged?: boolean | undefined;
  /** The worktree that it worked in has been removed. */
  readonly isWorktreeGone?: boolean | undefined;
  /** Its record is a copy: only the fleet continues it. */
  readonly isOfFleet?: boolean | undefined;
  /** Where the fleet keeps its working tree, as HOST:PATH. */
  readonly kept?: string | undefined;
}

/** How a run ended: the outcome and why, what it took, where it is recorded, what to do next. */
export function endReport(run: EndedRun, context: TextContext): readonly string[] {
  const { terminal } = context;
  const { state, runId, items, place } = run;
  const [, ...others] = endOf(state)?.reasons ?? [];
  const took: readonly LabelledRow[] = [['spent', spendText(state)]];
  const work: readonly LabelledRow[] =
    state.pipeline === undefined
      ? loopRows(run, took, context.now())
      : [...pipelineRows(runId, state, items, place), ...took];
  const rows: readonly LabelledRow[] = [
    ['asked', pendingText(state, false)],
    ['not sent', unsentText(state)],
    ['also', ...others.map((reason) => `${reason.message} (${wordOf(reason.class, reason.condition)})`)],
    ...work,
    ['kept', run.kept === undefined ? undefined : { path: run.kept }],
    ['record', { path: run.folder }],
    ['next', ...nextRows(run, context)],
  ];
  const clock = (at: string) => clockText(at, context.now());
  return [...summaryLines(summariseRun(state, { error: run.error, clock }), terminal), ...labelledRows(rows, terminal)];
}

/** What operators said in the last iteration, too late for its prompt. */
function unsentText(state: RunState): string | undefined {
  const { steers } = state.requests;
  if (steers.length === 0) return undefined;
  const texts = steers.map((text) => quote(text)).join(', ');
  const howMany = steers.length === 1 ? '' : `${plural(steers.length, 'message')}: `;
  return `${howMany}${texts}${loopStateOf(state) === 'completed' ? '' : '; pawl resume delivers it'}`;
}

function loopRows(run: EndedRun, took: readonly LabelledRow[], nowMs: number): readonly LabelledRow[] {
  const { state } = run;
  return [
    ['trusted', believed(state)],
    ['iterations', iterationsText(state)],
    ...took,
    ['tests', testsThenAndNow(state)],
    ...goalRows(state),
    ...greenRows(run, nowMs),
    ...bestRows(run),
    ['files', runFilesText(state)],
    ['commits', commitsText(state)],
  ];
}

function bestRows({ runId, state, place, ...run }: EndedRun): readonly LabelledRow[] {
  const hasWay = run.isDamaged !== true && run.isWorktreeGone !== true && run.isOfFleet !== true;
  const { worktree, workingDir = '' } = state.spec ?? {};
  return hasWay ? keptBestRows(state, runId, worktree === undefined ? place : ` --cwd ${shellWord(workingDir)}`) : [];
}

/** No one needs a way back from a run that is done, and a copy or a tree that is gone has none. */
function greenRows({ runId, state, place, ...run }: EndedRun, nowMs: number): readonly LabelledRow[] {
  const hasWay = run.isDamaged !== true && run.isWorktreeGone !== true && run.isOfFleet !== true;
  return hasWay && loopStateOf(state) !== 'completed' ? lostGreenRows(state, { runId, place, nowMs }) : [];
}

/** What to do next, what has to be done before it first. */
export function nextRows(
  { runId, state, place, isDamaged, isWorktreeGone, isOfFleet }: EndedRun,
  context: TextContext,
): readonly RowText[] {
  if (isDamaged === true) return [];
  const isGone = state.spec !== undefined && !existsSync(state.spec.workingDir);
  if (isGone && state.spec?.worktree === undefined && isOfFleet !== true)
    return [`its folder ${state.spec?.workingDir} is gone: put it back to resume the run`];
  if (isOfFleet === true) return stepRows([...fleetSteps(state), `pawl show ${shortId(runId)}${place ?? ''}`], state);
  const commands = nextSteps(runId, state, context, place, isWorktreeGone ?? isGone);
  return [...nextAdvice(state, context), ...stepRows(commands, state)];
}

/** Its work is on a branch of the remote. */
function fleetSteps({ spec, commits }: RunState): readonly string[] {
  if (spec?.worktree === undefined || (commits?.made ?? 0) === 0) return [];
  const { repository, branch } = spec.worktree;
  return [`git fetch ${shellWord(repository)} ${shellWord(branch)} && git merge FETCH_HEAD`];
}

/** Each command after what it is for, and below it what it does where that is not clear. */
export function stepRows(commands: readonly string[], state: RunState): readonly RowText[] {
  const steps = nextStepsOf(commands, state);
  const isLabelled = steps.every(({ label }) => label !== undefined);
  const width = isLabelled ? Math.max(...steps.map(({ label = '' }) => label.length)) + 2 : 0;
  return steps.map(({ command, label, about }) => ({
    command,
    lead: isLabelled ? `${label}:`.padEnd(width) : '',
    about,
  }));
}

/** A goal that no one but the agent vouches for is named as such. */
function believed(state: RunState): string | undefined {
  const testsUnverified = state.latest.observation.tests?.source === 'agent';
  const goals = (endOf(state)?.reasons ?? []).filter(
    (reason) => reason.class === 'goal' && reason.condition !== undefined,
  );
  const isBelieved = ({ condition }: (typeof goals)[number]) =>
    condition !== undefined &&
    leavesOf(condition).every(({ type }) => {
      const { evidence } = CONDITION_CATALOG[type];
      return evidence === 'agent' || (testsUnverified && evidence === 'tests');
    });
  const isJudged = goals.some(({ condition }) => condition !== undefined && isJudgedAlone(condition));
  if (isJudged) return 'the goal is judged by the review, not verified';
  if (goals.length === 0 || !goals.every(isBelieved)) return undefined;
  return 'the goal rests only on what the agent said; Pawl verified nothing';
}

/** What has to be done before a command can help, after a run has ended. */
export function nextAdvice(state: RunState, context: Surroundings): readonly string[] {
  if (endOf(state)?.class === 'goal') return [];
  if (isWithoutPrice(state)) return [priceAdvice(state)];
  if (isSilentForDay(state))
    return [`${SILENT} and start a new run, or remove max_cost_per_day from ${dayLimitPlace(context)}`];
  if (isSilent(state.spend) && endedBy(state, 'blocked', isRemovable))
    return [`${SILENT} or resume without the limit:`];
  const first = preconditionOf(state);
  if (first !== undefined) return [`${first}, then`];
  if (!endedBy(state, 'limit', isDayLimit)) return [];
  return [`raise max_cost_per_day in ${dayLimitPlace(context)}, or wait until 00:00 UTC; then`];
}

const SILENT =
  'the agent has reported no usage, so no limit on it can be kept: have it print usage messages (docs/guide/own-agent.md),';

/** A limit on spend that a resume can remove. */
function isRemovable({ type }: StopCondition): boolean {
  const { spend, zeroIsNone } = CONDITION_CATALOG[type];
  return spend === true && zeroIsNone === true;
}

function priceAdvice({ spend, pipeline }: RunState): string {
  const [command, file] = pipeline === undefined ? ['pawl run', 'pawl.yaml'] : ['pawl pipeline run', 'the manifest'];
  const named = unpricedModels(spend).filter((name) => name !== '');
  if (named.length === 0) {
    return 'the agent does not say which model it uses, so that no price is known: limit max_tokens or max_iterations instead';
  }
  if (spend.priceListMissing === true) {
    return 'install Pawl again with all that it needs: its price list (@pydantic/genai-prices) is missing; then start again with pawl run';
  }
  const anew = `and start a new run with ${command}: what this run has spent stays unknown`;
  return `write the price of ${list(named)} under prices: in ${file}, or choose another model with --model, ${anew}`;
}

const COLOURS: Readonly<Record<Tone, Extract<Style, string>>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  live: 'cyan',
  still: 'reset',
};

/** The colour of an outcome on a terminal. */
function colourOf({ tone }: { readonly tone: Tone }): Extract<Style, string> {
  return COLOURS[tone];
}

/** What happened and why, in its colour; below it what the agent said and did. */
export function summaryLines({ outcome, sentence, notes }: RunSummary, terminal: Terminal): readonly string[] {
  return [
    ...wrap(printable(sentence), terminal.columns).map((line) => terminal.style(['bold', colourOf(outcome)], line)),
    ...notes.flatMap((note) => wrap(printable(note), terminal.columns)),
  ];
}

/** Lists and metrics, each as it was last observed. */
export function goalRows(state: RunState): readonly LabelledRow[] {
  return goalFigures(state).map((figure) => [figure.kind, goalText(figure)]);
}

/** `PLAN.md: 7 of 12 boxes (the agent's own list)`. */
export function goalText({ kind, name, text }: GoalFigure): string {
  return kind === 'checklist' ? `${name}: ${text} (the agent's own list)` : `${quote(name, 40)}: ${text}`;
}

/** Which files the end of a run with `keep_best` left, and how to get the others. */
function keptBestRows(state: RunState, runId: string, place = ''): readonly LabelledRow[] {
  const { keptBest, recent } = state;
  const ended = endOf(state);
  const restore = (to: string) => ({ command: `pawl restore ${shortId(runId)} ${to}${place}` });
  if (keptBest !== undefined && keptBest.problem === undefined) {
    const text = `the files are as they were ${whenText(keptBest.iteration)}, with the best result`;
    return [['best files', text, restore(`--to ${keptBest.before.slice(0, 10)}`), '(brings the last files back)']];
  }
  const best = bestToKeep(state);
  if (best === undefined || ended === undefined || ended.class === 'goal') return [];
  if (best.iteration === recent.at(-1)?.iteration) return [];
  const why = keptBest?.problem === undefined ? 'are not restored' : `could not be restored: ${keptBest.problem}`;
  const row = [`those ${whenText(best.iteration)} ${why}`] as const;
  return [best.tree === undefined ? ['best files', ...row] : ['best files', ...row, restore(String(best.iteration))]];
}

/** When all tests were green in an iteration that did not end so, and how to get back there. `place`: what a command needs to find the run. */
export function greenRow(
  { iteration, at, passed }: GreenSeen & { readonly iteration: number },
  { runId, place, nowMs }: { readonly runId: string; readonly place: string; readonly nowMs: number },
): LabelledRow {
  const command = `pawl restore ${shortId(runId)} ${iteration}@green${place}`;
  const when = `at ${clockText(at, nowMs)} in iteration ${iteration}: ${passedText(passed)}`;
  return ['green', when, { command }, '(brings that state back)'];
}

/** The same for the newest of a run, unless an iteration has ended green since. */
export function lostGreenRows(
  state: RunState,
  { runId, place = '', nowMs }: { readonly runId: string; readonly place?: string | undefined; readonly nowMs: number },
): readonly LabelledRow[] {
  const green = lostGreen(state);
  const { worktree, workingDir = '' } = state.spec ?? {};
  const where = worktree === undefined ? place : ` --cwd ${shellWord(workingDir)}`;
  return green === undefined ? [] : [greenRow(green, { runId, place: where, nowMs })];
}

/** What became of the work where it is to be committed; nothing where nothing was tried. */
export function commitsText({ commits }: Pick<RunState, 'commits'>): string | undefined {
  if (commits === undefined) return undefined;
  const { made, problem, isUnpushed } = commits;
  if (problem === undefined) return plural(made, 'commit');
  const unpushed = made === 0 ? 'the only one' : `${plural(made, 'commit')}, and the last one`;
  if (isUnpushed === true) return `${unpushed} is on no branch: ${problem}`;
  // A tree that is gone holds nothing.
  const where = /^the working tree .* is gone$/.test(problem) ? '' : '; the work is in the tree, not committed';
  return `${made === 0 ? 'none' : `${plural(made, 'commit')}, and the last one failed`}: ${problem}${where}`;
}
