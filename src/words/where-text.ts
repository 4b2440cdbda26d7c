import { formatDuration } from '../model/duration.js';
import type { EventBodies } from '../model/run-event.js';
import { isEnding, loopStateOf, openIteration, waitingOf } from '../model/phase.js';
import { lowestLimit } from '../model/policy.js';
import { openQuestionText } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { count } from '../model/figures.js';
import { WAITED_FOR } from '../stop/run-summary.js';
import { clockText, untilText } from './clock-text.js';

const DOING: Readonly<Record<EventBodies['iteration-status']['status'], string>> = {
  pre_hooks: ', hooks before it',
  executing: '',
  observing: ', checking the result',
  post_hooks: ', hooks after it',
};

/** What holds a run up; undefined when it is at work. */
export function heldUp(state: RunState, nowMs: number, isLive: boolean): string | undefined {
  const waiting = waitingOf(state);
  if (!isLive) return 'interrupted';
  if (isEnding(state)) return 'stopping';
  if (state.phase.name === 'paused') return 'paused';
  if (waiting === undefined) return undefined;
  const until = waiting.until === undefined ? '' : ` ${untilText(waiting.until, nowMs)}`;
  return `waiting for ${WAITED_FOR[waiting.for]}${until}${questionText(state)}`;
}

/** `waits for the usage limit until 14:30`, for a text that stays true while it waits; undefined when it does not. */
export function waitsText(state: RunState, nowMs: number): string | undefined {
  const waiting = waitingOf(state);
  if (waiting === undefined) return undefined;
  const until = waiting.until === undefined ? '' : ` until ${clockText(waiting.until, nowMs)}`;
  return `waits for ${WAITED_FOR[waiting.for]}${until}${questionText(state)}`;
}

/** `: "Which one?"`, of a run that waits for the answer to it. */
export function questionText(state: RunState): string {
  const waiting = waitingOf(state)?.for;
  const asked = waiting === 'answer' || waiting === 'person' ? openQuestionText(state) : undefined;
  return asked === undefined ? '' : `: ${asked}`;
}

/** Where a loop is, and whether something holds it up there. */
export interface Whereabouts {
  readonly text: string;
  readonly isHeld: boolean;
}

/** Which iteration of a loop it is, or what holds it up. */
export function whereText(state: RunState, nowMs: number, isLive: boolean): Whereabouts {
  const waiting = waitingOf(state);
  const open = openIteration(state);
  const held = heldUp(state, nowMs, isLive);
  if (held?.startsWith('waiting') === true && waiting?.for === 'approval') {
    return { text: `iteration ${count(state.iterations + 1)}${ofText(state)} waits for your approval`, isHeld: true };
  }
  if (held !== undefined) return { text: held, isHeld: true };
  if (open === undefined) return { text: betweenText(state, nowMs), isHeld: false };
  const since = elapsedText(nowMs - Date.parse(open.startedAt));
  const text = `iteration ${count(open.iteration)}${ofText(state)}, ${since}${DOING[open.step ?? 'executing']}`;
  return { text, isHeld: false };
}

function betweenText(state: RunState, nowMs: number): string {
  const start = startText(state, nowMs);
  if (start !== undefined) return start;
  if (loopStateOf(state) === 'rebooting') return 'starting a new session';
  return `before iteration ${count(state.iterations + 1)}${ofText(state)}`;
}

/** What is done before the first iteration; undefined later. The first snapshot of a large tree takes a while. */
export function startText({ spec, startedAt, baseline, iterations }: RunState, nowMs: number): string | undefined {
  if (baseline !== undefined || iterations > 0) return undefined;
  const tests = spec?.tests === undefined ? '' : ', then running the tests';
  const since = startedAt === undefined ? '' : `, ${elapsedText(nowMs - Date.parse(startedAt))}`;
  return spec?.trackFileChanges === false
    ? `checking where it starts from${since}`
    : `taking a first snapshot of the files${tests}${since}`;
}

/** ` of 25`, where a number of iterations is a limit by itself. */
function ofText({ policy }: RunState): string {
  const most = lowestLimit(policy.limits, 'iterations');
  return most === undefined ? '' : ` of ${count(most)}`;
}

/** Whole seconds at least: `0s`, `12s`. */
export function elapsedText(ms: number): string {
  return ms < 1000 || Number.isNaN(ms) ? '0s' : formatDuration(ms);
}
