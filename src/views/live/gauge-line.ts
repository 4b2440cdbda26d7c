import type { Style, Terminal } from '../cli/terminal.js';

const INDENT = 2;
const LABEL_COLUMNS = 8;

/** A piece of a gauge: how much of the whole it is, and its colour. */
export interface GaugePart {
  readonly part: number;
  readonly style: Style;
}

/** The beginning of a line with a bar, and the columns that are left for what it says. Small terminals get no label. */
export function gaugeLine(
  label: string,
  parts: readonly GaugePart[],
  terminal: Terminal,
): { readonly gauge: string; readonly room: number } {
  const { columns } = terminal;
  const cells = columns < 60 ? 8 : columns < 100 ? 12 : 24;
  const labelColumns = columns < 60 ? 0 : LABEL_COLUMNS;
  const shown = labelColumns === 0 ? '' : terminal.style('dim', label.padEnd(LABEL_COLUMNS));
  const gauge = `${' '.repeat(INDENT)}${shown}${gaugeOf(parts, cells, terminal)}  `;
  return { gauge, room: columns - INDENT - labelColumns - cells - 2 };
}

function gaugeOf(parts: readonly GaugePart[], cells: number, terminal: Terminal): string {
  let sum = 0;
  let filled = 0;
  let text = '';
  for (const { part, style } of parts) {
    sum += part;
    // A bar is full only when it is.
    const upTo = sum >= 1 - 1e-9 ? cells : Math.min(cells - 1, Math.round(sum * cells));
    text += terminal.style(style, '█'.repeat(Math.max(0, upTo - filled)));
    filled = Math.max(filled, upTo);
  }
  return `${text}${terminal.style('dim', '░'.repeat(cells - filled))}`;
}
