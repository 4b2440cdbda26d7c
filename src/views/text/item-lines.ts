import { itemsOf } from '../../words/item-figures.js';
import type { EventOf } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import { plural } from '../../model/figures.js';
import type { Terminal } from './terminal.js';
import { doneOf, whyText } from '../../words/attempt-text.js';
import { oneLine, textWidth } from '../../words/printable.js';
import { attemptReport } from '../../model/shown-items.js';

export const ITEM_COLOURS = { approved: 'green', rejected: 'yellow', failed: 'red' } as const;

const MOST_ID_COLUMNS = 60;
const MOST_WHY_COLUMNS = 160;
const LEAST_WHY_COLUMNS = 8;

/** An item that has become final, on one line. */
export function itemLine(
  { item, status, attempts }: EventOf<'item-ended'>,
  after: RunState,
  terminal: Terminal,
): string {
  const { done, items } = itemsOf(after.pipeline);
  const place = doneOf(done, items).padStart(doneColumns(after));
  const again = attempts > 1 ? `  (${plural(attempts, 'attempt')})` : '';
  const id = oneLine(item, idRoom(terminal, place.length + 12));
  const isRoom = !terminal.isScreen || place.length + 12 + textWidth(id) + again.length <= terminal.columns;
  return `${place}  ${terminal.style(ITEM_COLOURS[status], status.padEnd(8))}  ${id}${isRoom ? again : ''}`;
}

/** An attempt that was not approved, on one line. */
export function attemptLine(event: EventOf<'attempt-ended'>, after: RunState, terminal: Terminal): string {
  const { item, attempt, outcome } = event;
  const indent = ' '.repeat(doneColumns(after) + 2);
  const head = `${outcome.padEnd(8)}  ${oneLine(item, idRoom(terminal, indent.length + 22))}  attempt ${attempt}`;
  const why = whyText(attemptReport(event));
  const room = terminal.isScreen ? terminal.columns - indent.length - head.length - 2 : MOST_WHY_COLUMNS;
  const shown = why === '' || room < LEAST_WHY_COLUMNS ? '' : `: ${oneLine(why, room)}`;
  return `${indent}${terminal.style('dim', `${head}${shown}`)}`;
}

/** On a screen a line is not to be broken. */
function idRoom({ isScreen, columns }: Terminal, taken: number): number {
  return isScreen ? Math.max(8, Math.min(MOST_ID_COLUMNS, columns - taken)) : MOST_ID_COLUMNS;
}

function doneColumns({ pipeline }: RunState): number {
  const { items } = itemsOf(pipeline);
  return doneOf(items, items).length;
}
