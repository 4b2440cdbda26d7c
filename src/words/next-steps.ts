import type { StopCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import { EMPTY_POLICY } from '../model/policy.js';
import type { WorktreeSpec } from '../model/run-spec.js';
import { endOf, isEnding, loopStateOf, openIteration, waitingOf, type PauseRequest } from '../model/phase.js';
import { isBackAtStart, unsettledStart } from '../model/work.js';
import { openQuestions } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy, APPROVABLE_PATHS } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { shellWord } from './printable.js';
import { pipelineSteps } from './pipeline-steps.js';
import { isSilentForDay, isWithoutPrice, raisedFlag, steerFlag } from './raised-flag.js';
import { hasChangedFiles } from './run-files-text.js';
import { shortId } from './short-id.js';

/** From where the commands are typed, and when. */
interface TypedFrom {
  readonly cwd: string;
  readonly now: () => number;
}

/**
 * The commands that make sense after a run has ended. `place` is what they need to find it, such as ` --cwd DIR`;
 * `isGone`: the worktree that it worked in has been removed.
 */
export function nextSteps(
  runId: string,
  state: RunState,
  context: TypedFrom,
  place = '',
  isGone = false,
): readonly string[] {
  const { spec } = state;
  const status = loopStateOf(state);
  const ended = endOf(state);
  if (state.pipeline !== undefined) return pipelineSteps(runId, state, context.now(), place);
  const id = shortId(runId);
  if (isGone && spec?.worktree !== undefined)
    return [...goneSteps(spec.worktree, state, context.cwd), `pawl show ${id}${place}`];
  const where = placeOf(state, place);
  const after = [
    ...(hasChangedFiles(state) === true ? fileSteps(id, state, where) : forcedUndo(id, state, where)),
    ...(spec?.worktree === undefined ? [] : worktreeSteps(spec.worktree, state, context.cwd)),
    `pawl show ${id}${where}`,
  ];
  const wayBack = guardSteps(id, state, where);
  // A resume would only be refused.
  if (status === 'completed' || isWithoutPrice(state) || isSilentForDay(state) || isOfProgram(state)) return after;
  const raised = (ended?.reasons ?? []).flatMap(({ condition, class: stopClass }) =>
    condition === undefined || (stopClass !== 'limit' && stopClass !== 'blocked')
      ? []
      : flagNow(condition, state, context.now()),
  );
  const answers = answerSteps(id, state, place);
  const words = answers.length === 0 ? steerFlag(state) : [];
  const resume = [`pawl resume ${id}`, ...new Set(raised), ...words].join(' ') + place;
  if (ended?.reasons.some(({ path }) => APPROVABLE_PATHS.includes(path)) === true) {
    return [...after.slice(0, 1), `pawl approve ${id}${place}`, resume, ...after.slice(1)];
  }
  return wayBack === undefined
    ? [...answers, resume, ...after]
    : [...after.slice(0, 1), wayBack, resume, keepStep(runId, state, place), `pawl show ${id}${where}`];
}

/** What the agent asked is answered before a resume, which then continues with it. */
function answerSteps(id: string, state: RunState, place: string): readonly string[] {
  const open = openQuestions(state);
  const which = (question: string) => (open.length === 1 ? '' : ` --question ${question}`);
  return open.map((question) => `pawl answer ${id} '<your answer>'${which(question.id)}${place}`);
}

/** A run that changed protected files is resumed only when they are as before. */
function guardSteps(id: string, state: RunState, where: string): string | undefined {
  const { guardBroken, spec } = state;
  if (guardBroken === undefined || endOf(state)?.class !== 'veto' || spec?.worktree !== undefined) return undefined;
  return `pawl restore ${id} ${Math.max(0, guardBroken.iteration - 1)}${where}`;
}

/** A new run takes changed tests as they are only when they are committed. */
function keepStep(runId: string, state: RunState, place: string): string {
  const run = `pawl run${place}`;
  const git = `git${place.replace(' --cwd ', ' -C ')}`;
  return unsettledStart(runId, state) === undefined ? run : `${git} add --all && ${git} commit && ${run}`;
}

/** A limit may have been raised while the run was ending: what is in its place need not be raised again. */
function flagNow(condition: StopCondition, state: RunState, nowMs: number): readonly string[] {
  const { limits } = state.policy;
  const isThere = limits.some((limit) => conditionKey(limit) === conditionKey(condition));
  const others = isThere ? [] : limits.filter(({ type }) => type === condition.type);
  const isFree =
    others.length > 0 &&
    !evaluatePolicy(
      { ...EMPTY_POLICY, limits: others },
      { ...factsOf(state), operatorStop: undefined, userSignal: false },
    ).stop;
  return isFree ? [] : [raisedFlag(others[0] ?? condition, state, nowMs) ?? []].flat();
}

/** What it changed, and the way back: to when most tests passed, or before it all. Where nothing is left, what changed last. */
function fileSteps(id: string, state: RunState, where: string): readonly string[] {
  const { recent, spec } = state;
  const isUndone = isBackAtStart(state);
  const changing = isUndone ? recent.findLast(({ changedFiles = 0 }) => changedFiles > 0)?.iteration : undefined;
  const diff = `pawl diff ${id}${changing === undefined ? '' : ` ${changing}`}${where}`;
  // A worktree is left as it is, or removed.
  if (loopStateOf(state) === 'completed' || spec?.worktree !== undefined) return [diff];
  const passed = ({ testsPassed }: (typeof recent)[number]) => testsPassed ?? 0;
  const best = recent.reduce((most, one) => Math.max(most, passed(one)), 0);
  const last = recent.at(-1);
  const isWorse = last?.testsPassed !== undefined && last.testsPassed < best;
  const to = isWorse ? recent.findLast((one) => passed(one) === best)?.iteration : undefined;
  return to === undefined && isUndone ? [diff] : [diff, `pawl restore ${id} ${to ?? 0}${where}`];
}

/** How the work of a worktree gets into the user's own tree. */
function worktreeSteps({ path, branch, repository }: WorktreeSpec, state: RunState, cwd: string): readonly string[] {
  const git = gitIn(repository, cwd);
  const inside = `git -C ${shellWord(path)}`;
  const commit = `${inside} add --all && ${inside} commit`;
  const merge = `${git} merge ${shellWord(branch)}`;
  const remove = `${git} worktree remove ${shellWord(path)}`;
  const work = workIn(state);
  if (work === 'none') return [remove];
  return [work === 'uncommitted' ? `${commit} && ${merge}` : merge, remove];
}

/** Its branch is still there, with what was committed. */
function goneSteps({ path, branch, repository }: WorktreeSpec, state: RunState, cwd: string): readonly string[] {
  const git = gitIn(repository, cwd);
  const merge = workIn(state) === 'committed' ? [`${git} merge ${shellWord(branch)}`] : [];
  return [...merge, `${git} worktree add ${shellWord(path)} ${shellWord(branch)}`];
}

function gitIn(repository: string, cwd: string): string {
  const here = cwd;
  const isThere = here === repository || here.startsWith(`${repository}/`);
  return isThere ? 'git' : `git -C ${shellWord(repository)}`;
}

/** Where the work of a run in a worktree is. An agent may have committed it itself. */
function workIn(state: RunState): 'none' | 'committed' | 'uncommitted' {
  const { commits, spec } = state;
  const status = loopStateOf(state);
  if (commits?.problem !== undefined) return 'uncommitted';
  if ((commits?.made ?? 0) > 0) return 'committed';
  if (hasChangedFiles(state) === false) return 'none';
  // One that broke has not come to the commit at its end.
  return spec?.commit === 'never' || (spec?.commit === 'end' && status === 'error') ? 'uncommitted' : 'committed';
}

/** The commands that make sense for a run that has not ended. */
export function nextCommands(
  runId: string,
  state: RunState,
  isLive: boolean,
  nowMs: number,
  place = '',
): readonly string[] {
  const rest = `${shortId(runId)}${place}`;
  // A record that does not tell what it is of cannot continue.
  if (!isLive && state.pipeline !== undefined) return pipelineSteps(runId, state, nowMs, place);
  if (!isLive) return state.spec === undefined || isOfProgram(state) ? [] : interruptedSteps(runId, state, place);
  const status = loopStateOf(state);
  const waiting = waitingOf(state);
  const { stop } = state.requests;
  const watch = `pawl watch ${rest}`;
  const answer = `pawl answer ${shortId(runId)} '<your answer>'${place}`;
  const stopNow = `pawl stop --now ${rest}`;
  if (isEnding(state)) return [watch, ...(isSooner(state) ? [stopNow] : [])];
  if (stop !== undefined) return [watch, ...(stop.now ? [] : [stopNow])];
  if (waiting?.for === 'approval')
    return [`pawl approve ${rest}`, `pawl reject ${shortId(runId)} '<what is wrong>'${place}`];
  if (waiting?.for === 'answer' || waiting?.for === 'person')
    return [...(waiting.for === 'person' ? answerSteps(shortId(runId), state, place) : [answer]), `pawl stop ${rest}`];
  if (status === 'paused' || status === 'waiting') return [`pawl unpause ${rest}`, `pawl stop ${rest}`];
  return [watch, `pawl stop ${rest}`];
}

/** What the iteration that was cut short has changed is in no snapshot: it is undone by force. */
function interruptedSteps(runId: string, state: RunState, place: string): readonly string[] {
  const id = shortId(runId);
  const where = placeOf(state, place);
  const hasDiff = hasChangedFiles(state) === true && !isBackAtStart(state);
  return [
    ...answerSteps(id, state, place),
    `pawl resume ${id}${place}`,
    ...(hasDiff ? [`pawl diff ${id}${where}`] : []),
    ...forcedUndo(id, state, where),
    `pawl show ${id}${where}`,
  ];
}

/** After which iteration the files were last in a snapshot, where no later change of them is in one. */
function lastSnapshot({ baseline, recent, restoredTree, spec }: RunState): number | undefined {
  if (restoredTree !== undefined || spec?.worktree !== undefined || baseline?.fingerprint !== undefined)
    return undefined;
  return recent.findLast(({ tree }) => tree !== undefined)?.iteration ?? (baseline?.tree === undefined ? undefined : 0);
}

/** The way back from changes that are in no snapshot: only by force. */
function forcedUndo(id: string, state: RunState, where: string): readonly string[] {
  const { recent } = state;
  const isBroken = endOf(state)?.error !== undefined && recent.length > 0 && recent.at(-1)?.tree === undefined;
  const to = isBroken || openIteration(state)?.pid !== undefined ? lastSnapshot(state) : undefined;
  return to === undefined ? [] : [`pawl restore ${id} ${to} --force${where}`];
}

/** What commands about the files of a run need to find them. */
function placeOf({ spec }: RunState, place: string): string {
  return spec?.worktree === undefined ? place : ` --cwd ${shellWord(spec.workingDir)}`;
}

/** Only the program that has its model and tools, or the tool that ran an imported run, can continue it. */
function isOfProgram({ kind }: RunState): boolean {
  return kind === 'agent' || kind === 'imported';
}

/** Whether one that is stopping can be made to stop sooner. */
function isSooner({ hook, pipeline, requests: { stop } }: RunState): boolean {
  return hook !== undefined || (pipeline !== undefined && stop?.now !== true);
}

/** What was asked of a run and has not happened yet; undefined when nothing was. */
export function pendingText(state: RunState, isLive = true): string | undefined {
  const status = loopStateOf(state);
  const { stop, pause } = state.requests;
  if (!isLive) return afterwardsText(state);
  if (isEnding(state)) return endingText(state);
  const isIdle = status === 'paused' || status === 'waiting';
  const when =
    state.pipeline !== undefined
      ? 'after the attempts in progress'
      : openIteration(state) === undefined
        ? 'before the next iteration'
        : 'after this iteration';
  if (stop !== undefined) {
    return `stops ${stop.now || isIdle ? 'now' : when}, requested by ${stop.by}`;
  }
  if (pause === undefined || status === 'paused') return undefined;
  return `pauses ${when}, ${askedFor(pause)}; pawl unpause cancels this`;
}

/** Why a run is paused; undefined when it is not. */
export function pausedText({ phase, hook, requests: { pause } }: RunState): string | undefined {
  if (phase.name !== 'paused') return undefined;
  const why = pause === undefined ? [] : [askedFor(pause)];
  const runs = hook === undefined ? [] : [`the hook ${hook} is running`];
  return [...why, ...runs].join('; ') || undefined;
}

/** What a run that no one runs now does when someone continues it. */
function afterwardsText(state: RunState): string | undefined {
  const ended = endOf(state);
  const { stop, pause } = state.requests;
  if (stop !== undefined && ended === undefined) return `stops when it is resumed, requested by ${stop.by}`;
  if (ended?.pauseAsked !== undefined) return `to pause, ${askedFor(ended.pauseAsked)}: the run ended first`;
  if (pause === undefined) return undefined;
  return `is paused when it is resumed, ${askedFor(pause)}; then pawl unpause`;
}

function endingText({ verdict, hook, pipeline, requests: { stop } }: RunState): string {
  const why = verdict?.reasons[0]?.message ?? (stop === undefined ? undefined : `requested by ${stop.by}`);
  const when = pipeline === undefined || stop?.now === true ? 'now' : 'after the attempts in progress';
  const stops = `stops ${when}${why === undefined ? '' : `: ${why}`}`;
  return hook === undefined ? stops : `${stops}; the hook ${hook} is running, and pawl stop --now ends it`;
}

function askedFor({ by, reason }: PauseRequest): string {
  return reason ?? `requested by ${by}`;
}
