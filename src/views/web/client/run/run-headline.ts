import { endOf, openIteration } from '../../../../model/phase.js';
import { count } from '../../../../model/figures.js';
import { summariseRun } from '../../../../stop/run-summary.js';
import { pausedText, pendingText } from '../../../../words/next-steps.js';
import { waitingItems } from '../../../../words/waiting-items.js';
import { heldUp, whereText } from '../../../../words/where-text.js';
import type { ViewedRun } from '../../wire/api.js';

/** What a run does now, or how it ended. The badge next to a live run shows its status, so it is not repeated. */
export function runHeadline(viewed: ViewedRun, nowMs: number): string {
  const { status, view, isLive } = viewed;
  const said = whatItDoes(viewed, nowMs);
  if (endOf(view.state) !== undefined || !isLive) return said;
  if (said !== status) return said.startsWith(`${status} `) ? said.slice(status.length + 1) : said;
  const [why = `before iteration ${count(view.state.iterations + 1)}`] = askedOf(viewed);
  return why;
}

function whatItDoes({ view, isLive }: ViewedRun, nowMs: number): string {
  const { state, items } = view;
  const { pipeline } = state;
  const ended = endOf(state);
  if (ended !== undefined || !isLive) return summariseRun(state).sentence;
  if (pipeline === undefined) return whereText(state, nowMs, isLive).text;
  const held = heldUp(state, nowMs, isLive);
  if (held !== undefined) return held;
  const waits = waitingItems(state, items, nowMs).length;
  const inFlight = items.open.length === 0 ? 'nothing in progress' : `${count(items.open.length)} in progress`;
  return waits === 0 ? inFlight : `${inFlight}, ${count(waits)} wait${waits === 1 ? 's' : ''}`;
}

/** What is asked of it and has not happened yet. */
export function askedOf({ view, isLive }: ViewedRun): readonly string[] {
  const { state } = view;
  if (endOf(state) !== undefined) return [];
  const open = openIteration(state);
  const { steers, reboot } = state.requests;
  const notes = open === undefined ? steers.length : (open.steersSince ?? 0);
  return [
    pausedText(state),
    pendingText(state, isLive)?.replace(/; (?:then )?pawl unpause.*$/, ''),
    reboot === undefined ? undefined : 'a new session with the next iteration',
    notes === 0 ? undefined : `${count(notes)} note${notes === 1 ? '' : 's'} for the agent with the next prompt`,
  ].filter((part) => part !== undefined);
}
