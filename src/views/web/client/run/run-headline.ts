import { count } from '../../../../stop/figures.js';
import { pausedText, pendingText } from '../../../terminal/pending-text.js';
import { waitingItems } from '../../../terminal/waiting-items.js';
import { heldUp, whereText } from '../../../terminal/where-text.js';
import type { ViewedRun } from '../../wire/api.js';

/** What a run does now, or why it ended. Its status stands beside it and is not said again. */
export function runHeadline(viewed: ViewedRun, nowMs: number): string {
  const { status, view, isLive } = viewed;
  const said = whatItDoes(viewed, nowMs);
  if (view.state.ended !== undefined || !isLive) return said;
  if (said !== status) return said.startsWith(`${status} `) ? said.slice(status.length + 1) : said;
  const [why = `before iteration ${count(view.state.iterations + 1)}`] = askedOf(viewed);
  return why;
}

function whatItDoes({ view, isLive }: ViewedRun, nowMs: number): string {
  const { state, items } = view;
  const { ended, pipeline, iterations, status } = state;
  if (ended !== undefined) {
    const why = ended.error ?? ended.reasons[0]?.message ?? status;
    const already = status === 'completed' && iterations === 0 ? ' (already met, nothing was run)' : '';
    return `${why}${already}`;
  }
  if (!isLive) return 'nothing runs it any more, and it has not come to its end';
  if (pipeline === undefined) return whereText(state, nowMs, isLive).text;
  const held = heldUp(state, nowMs, isLive);
  if (held !== undefined) return held;
  const waits = waitingItems(state, items, nowMs).length;
  const inFlight = items.open.length === 0 ? 'nothing in flight' : `${count(items.open.length)} in flight`;
  return waits === 0 ? inFlight : `${inFlight}, ${count(waits)} wait${waits === 1 ? 's' : ''}`;
}

/** What is asked of it and has not happened yet. */
export function askedOf({ view, isLive }: ViewedRun): readonly string[] {
  const { state } = view;
  if (state.ended !== undefined) return [];
  const { steers, open, rebootAsked } = state;
  const notes = open === undefined ? steers.length : (open.steersSince ?? 0);
  return [
    pausedText(state),
    pendingText(state, isLive)?.replace(/; (?:then )?pawl unpause.*$/, ''),
    rebootAsked === undefined ? undefined : 'a fresh session with the next iteration',
    notes === 0 ? undefined : `${count(notes)} note${notes === 1 ? '' : 's'} for the agent with the next prompt`,
  ].filter((part) => part !== undefined);
}
