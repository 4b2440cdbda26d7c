import type { Terminal } from './terminal.js';
import { oneLine, textWidth } from '../../words/printable.js';

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean | undefined;
  /** The widest that it gets. */
  readonly most?: number | undefined;
}

/** Rows in columns as wide as what is in them; the last column takes what is left of the line. */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
): readonly string[] {
  const widths = columns.map(({ title, most = 100 }, index) =>
    Math.min(most, Math.max(textWidth(title), ...rows.map((row) => textWidth(row[index] ?? '')))),
  );
  const line = (cells: readonly string[]) => {
    let text = '';
    for (const [index, { isNumber }] of columns.entries()) {
      const isLast = index === columns.length - 1;
      const room = isLast ? Math.max(8, terminal.columns - textWidth(text)) : (widths[index] ?? 0);
      const cell = oneLine(cells[index] ?? '', room);
      const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - textWidth(cell)));
      text += isLast && isNumber !== true ? cell : `${isNumber === true ? gap + cell : cell + gap}  `;
    }
    return text.trimEnd();
  };
  return [terminal.style('dim', line(columns.map(({ title }) => title))), ...rows.map(line)];
}
