import { formatDuration } from '../../model/duration.js';
import { isEnding } from '../../model/is-ending.js';
import type { EventBodies, WaitingFor } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { totalSpend } from '../../model/spend-account.js';
import { count, plural } from '../../stop/figures.js';
import type { Terminal } from '../cli/terminal.js';
import { untilText } from '../terminal/clock-text.js';
import { pausedText, pendingText } from '../terminal/pending-text.js';
import { hasReports, toldCost } from '../terminal/spend-text.js';
import { activeMsAt } from '../terminal/state-at.js';
import { fit, textWidth } from '../terminal/text-width.js';
import type { Where } from './frame-parts.js';

const WAITED_FOR: Readonly<Record<WaitingFor, string>> = {
  'usage-limit': 'the usage limit',
  overload: 'the overload to pass',
  approval: 'your approval',
  answer: 'your answer',
};

const DOING: Readonly<Record<EventBodies['iteration-status']['status'], string>> = {
  pre_hooks: ', hooks before it',
  executing: '',
  observing: ', checking the result',
  post_hooks: ', hooks after it',
};

/** Where the run is, and what it has taken so far. */
export function headline([where, style]: Where, state: RunState, nowMs: number, terminal: Terminal): string {
  const took = [`${elapsedText(activeMsAt(state, nowMs))} in all`, ...spentTexts(state)];
  // What there is no room for is left out from the end.
  while (took.length > 1 && textWidth(where) + textWidth(took.join('  ')) + 3 > terminal.columns) took.pop();
  const right = took.join('  ');
  const gap = terminal.columns - textWidth(where) - textWidth(right);
  if (gap < 2) return terminal.style(style, fit(where, terminal.columns));
  return `${terminal.style(style, where)}${' '.repeat(gap)}${terminal.style('dim', right)}`;
}

/** What holds a run up; undefined when it is at work. */
export function heldUp(state: RunState, nowMs: number, isLive: boolean): string | undefined {
  const { status, waiting } = state;
  if (!isLive) return 'interrupted';
  if (isEnding(state)) return 'stopping';
  if (status === 'paused') return 'paused';
  if (waiting === undefined) return undefined;
  const until = waiting.until === undefined ? '' : ` ${untilText(waiting.until, nowMs)}`;
  return `waiting for ${WAITED_FOR[waiting.for]}${until}`;
}

/** Which iteration of a loop it is, or what holds it up. */
export function loopWhere(state: RunState, nowMs: number, isLive: boolean): Where {
  const { waiting, open } = state;
  const held = heldUp(state, nowMs, isLive);
  if (held?.startsWith('waiting') === true && waiting?.for === 'approval') {
    return [`iteration ${count(state.iterations + 1)}${ofText(state)} waits for your approval`, ['bold', 'yellow']];
  }
  if (held !== undefined) return [held, ['bold', 'yellow']];
  if (open === undefined) return [betweenText(state), 'bold'];
  const since = elapsedText(nowMs - Date.parse(open.startedAt));
  return [`iteration ${count(open.iteration)}${ofText(state)}, ${since}${DOING[open.status ?? 'executing']}`, 'bold'];
}

function betweenText(state: RunState): string {
  if (state.baseline === undefined && state.iterations === 0) return 'looking at where it starts from';
  if (state.status === 'rebooting') return 'beginning a fresh session';
  return `before iteration ${count(state.iterations + 1)}${ofText(state)}`;
}

/** ` of 25`, where a number of iterations is a limit by itself. */
function ofText({ policy }: RunState): string {
  const most = policy.limits.flatMap((limit) => (limit.type === 'max_iterations' ? limit.count : []));
  return most.length === 0 ? '' : ` of ${count(Math.min(...most))}`;
}

function spentTexts({ spend }: RunState): readonly string[] {
  if (!hasReports(spend)) return [];
  const { totalTokens } = totalSpend(spend);
  return [toldCost(spend), ...(totalTokens === undefined ? [] : [plural(totalTokens, 'token')])];
}

/** Whole seconds at least: `0s`, `12s`. */
export function elapsedText(ms: number): string {
  return ms < 1000 || Number.isNaN(ms) ? '0s' : formatDuration(ms);
}

/** What is asked of the run and has not happened yet. */
export function askedText(state: RunState): string | undefined {
  const { open, steers, rebootAsked } = state;
  // The iteration under way has been given those that came before it.
  const notes = open === undefined ? steers.length : (open.steersSince ?? 0);
  const parts = [
    pausedText(state),
    pendingText(state)?.replace('pawl unpause', 'p').replace('pawl stop --now', 'S'),
    rebootAsked === undefined ? undefined : 'a fresh session with the next iteration',
    notes === 0 ? undefined : `${plural(notes, 'note')} for the agent with the next prompt`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}
