import { type Terminal, wrap } from '../cli/terminal.js';
import { printable } from './printable.js';

/** A sentence to be wrapped, or a command to be copied, which stays on its line. */
export type RowText = string | { readonly command: string } | undefined;

/** A label and what is to be said under it, one row or more. */
export type LabelledRow = readonly [label: string, ...texts: RowText[]];

/** Rows with their labels on the left, wrapped to the terminal. What is undefined is left out. */
export function labelledRows(rows: readonly LabelledRow[], terminal: Terminal): readonly string[] {
  const labelWidth = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows.flatMap(([label, ...texts]) =>
    texts
      .filter((text) => text !== undefined)
      .flatMap((text) => linesOf(text, terminal.columns - labelWidth - 4))
      .map((line, index) => `  ${terminal.style('dim', (index === 0 ? label : '').padEnd(labelWidth))}${line}`),
  );
}

/** What does not fit on the first line of a text stands a little to the right. */
function linesOf(text: NonNullable<RowText>, width: number): readonly string[] {
  if (typeof text !== 'string') return [printable(text.command)];
  const [first = '', ...rest] = wrap(printable(text), width);
  return [first, ...rest.map((line) => `  ${line}`)];
}
