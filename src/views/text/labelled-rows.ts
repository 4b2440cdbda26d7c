import { type Terminal, wrap } from './terminal.js';
import { printable, visible, visibleLines, breakLine } from '../../words/printable.js';

/**
 * A sentence to be wrapped; a command or a path to be copied, which stays on its line, with a word on it before or below;
 * or a command that will be executed, every character of it to be seen, and what there is to say of it.
 */
export type RowText =
  | string
  | { readonly command: string; readonly lead?: string | undefined; readonly about?: string | undefined }
  | { readonly path: string }
  | { readonly executed: string; readonly about?: string | undefined }
  | undefined;

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
  if (typeof text !== 'string' && 'command' in text) {
    const { command, lead = '', about } = text;
    const below = about === undefined ? [] : wrap(printable(`(${about})`), width - lead.length);
    return [`${lead}${visible(command)}`, ...below.map((line) => `${' '.repeat(lead.length)}${line}`)];
  }
  if (typeof text !== 'string' && 'path' in text) return [printable(text.path)];
  const [first = '', ...rest] =
    typeof text === 'string'
      ? wrap(printable(text), width).flatMap((line) => breakLine(line, Math.max(10, width)))
      : visibleLines(`${text.executed}${text.about === undefined ? '' : ` (${text.about})`}`, width - 2);
  return [first, ...rest.map((line) => `  ${line}`)];
}
