import { oneLine, textWidth } from '../../words/printable.js';
import type { Terminal } from './terminal.js';

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean | undefined;
  /** The narrowest that it gets. */
  readonly least?: number | undefined;
  /** The widest that it gets. */
  readonly most?: number | undefined;
  /** It takes no room where no row has it, and gives way where the terminal is too narrow. */
  readonly isOptional?: boolean | undefined;
}

export interface TableLayout {
  /** The blanks between two columns. */
  readonly gap?: number | undefined;
  /** What the last column needs, before optional ones give way. */
  readonly lastNeeds?: number | undefined;
  /** Lines below a row. */
  readonly below?: ((row: number) => readonly string[]) | undefined;
  /** On a terminal with fewer columns than this there is no table: each row is a few lines. */
  readonly narrow?: { readonly columns: number; readonly lines: (row: number) => readonly string[] } | undefined;
}

interface FilledColumn extends Column {
  readonly cells: readonly string[];
  readonly width: number;
}

const LEAST_LAST = 8;

/** Rows in columns as wide as what is in them; the last column takes what is left of the line. */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
  { gap = 2, lastNeeds = 0, below = () => [], narrow }: TableLayout = {},
): readonly string[] {
  if (narrow !== undefined && terminal.columns < narrow.columns) return rows.flatMap((_, row) => narrow.lines(row));
  const filled = columnsFor(columns, rows, terminal.columns - lastNeeds, gap);
  const line = (cells: readonly string[]) => lineOf(filled, cells, terminal.columns, gap);
  const titles = filled.map(({ title }) => title);
  return [
    terminal.style('dim', line(titles)),
    ...rows.flatMap((_, row) => [line(filled.map(({ cells }) => cells[row] ?? '')), ...below(row)]),
  ];
}

/** The last column always stays. */
function columnsFor(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  room: number,
  gap: number,
): readonly FilledColumn[] {
  const filled = columns
    .map((column, index) => {
      const { title, least = 0, most = 100 } = column;
      const cells = rows.map((row) => row[index] ?? '');
      const width = Math.min(most, Math.max(least, ...[title, ...cells].map(textWidth)));
      return { ...column, cells, width };
    })
    .filter(({ cells, isOptional }) => isOptional !== true || cells.some((cell) => cell !== ''));
  const isTooWide = () => filled.slice(0, -1).reduce((sum, { width }) => sum + width + gap, 0) > room;
  while (isTooWide()) {
    const last = filled.findLastIndex(({ isOptional }) => isOptional === true);
    if (last < 0) break;
    filled.splice(last, 1);
  }
  return filled;
}

function lineOf(columns: readonly FilledColumn[], cells: readonly string[], room: number, gap: number): string {
  let text = '';
  for (const [index, { isNumber = false, width, most }] of columns.entries()) {
    const isLast = index === columns.length - 1;
    const own = isLast ? Math.max(LEAST_LAST, most ?? room - textWidth(text)) : width;
    const cell = oneLine(cells[index] ?? '', own);
    const blanks = ' '.repeat(Math.max(0, width - textWidth(cell)));
    text += isLast && !isNumber ? cell : `${isNumber ? blanks + cell : cell + blanks}${' '.repeat(gap)}`;
  }
  return text.trimEnd();
}
