import { openIteration } from '../../model/phase.js';
import type { RunState } from '../../model/run-state.js';
import { totalSpend } from '../../model/spend-account.js';
import { plural } from '../../model/figures.js';
import type { Terminal } from '../text/terminal.js';
import { pausedText, pendingText } from '../../words/next-steps.js';
import { hasReports, reportedCost } from '../../words/spend-text.js';
import { activeMsAt } from '../../words/state-at.js';
import { fit, textWidth } from '../../words/printable.js';
import { elapsedText, whereText } from '../../words/where-text.js';
import type { Where } from './frame-parts.js';

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

/** Which iteration of a loop it is, or what holds it up. */
export function loopWhere(state: RunState, nowMs: number, isLive: boolean): Where {
  const { text, isHeld } = whereText(state, nowMs, isLive);
  return [text, isHeld ? ['bold', 'yellow'] : 'bold'];
}

function spentTexts({ spend }: RunState): readonly string[] {
  if (!hasReports(spend)) return [];
  const { totalTokens } = totalSpend(spend);
  return [reportedCost(spend), ...(totalTokens === undefined ? [] : [plural(totalTokens, 'token')])];
}

/** What is asked of the run and has not happened yet. */
export function askedText(state: RunState): string | undefined {
  const open = openIteration(state);
  const { steers, reboot } = state.requests;
  // The iteration under way has been given those that came before it.
  const notes = open === undefined ? steers.length : (open.steersSince ?? 0);
  const parts = [
    pausedText(state),
    pendingText(state)?.replace('pawl unpause', 'p').replace('pawl stop --now', 'S'),
    reboot === undefined ? undefined : 'a new session with the next iteration',
    notes === 0 ? undefined : `${plural(notes, 'note')} for the agent with the next prompt`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}
