import { type Terminal, wrap } from './terminal.js';
import { failedItemText } from '../../words/attempt-text.js';
import { breakLine, oneLine, textWidth, printable } from '../../words/printable.js';
import type { FailedItem } from '../../model/shown-items.js';

/** Below this each item is a sentence. */
const TABLE_COLUMNS = 70;
const MOST_ID_COLUMNS = 30;
const MOST_REASON_COLUMNS = 30;
const HEAD = ['item', 'status', 'attempts', 'reasons', 'score', 'message'] as const;

/** The items that were not approved, one line each, with what the last attempt came to. */
export function failedTable(failed: readonly FailedItem[], terminal: Terminal): readonly string[] {
  if (failed.length === 0) return [];
  if (terminal.columns < TABLE_COLUMNS) return failed.flatMap((each) => sentence(each, terminal));
  const rows = failed.map(cellsOf);
  const widths = HEAD.map((name, column) => Math.max(name.length, ...rows.map((row) => textWidth(row[column] ?? ''))));
  const line = (cells: readonly string[]) => {
    const padded = cells.slice(0, -1).map((cell, column) => padTo(cell, widths[column] ?? 0));
    const start = `  ${padded.join('  ')}  `;
    return `${start}${oneLine(cells.at(-1) ?? '', Math.max(8, terminal.columns - textWidth(start)))}`.trimEnd();
  };
  return [terminal.style('dim', line(HEAD)), ...rows.map(line)];
}

function cellsOf({ item, status, attempts, last }: FailedItem): readonly string[] {
  return [
    oneLine(item, MOST_ID_COLUMNS),
    status,
    String(attempts),
    oneLine(last?.reasons.join(', ') ?? '', MOST_REASON_COLUMNS),
    last?.score === undefined ? '' : String(last.score),
    oneLine(last?.message ?? last?.printed ?? '', 400),
  ];
}

function padTo(text: string, columns: number): string {
  return `${text}${' '.repeat(Math.max(0, columns - textWidth(text)))}`;
}

function sentence(failed: FailedItem, { columns }: Terminal): readonly string[] {
  const text = printable(oneLine(failedItemText(failed), 300));
  const [first = '', ...rest] = wrap(text, columns - 4).flatMap((line) => breakLine(line, columns - 4));
  return [`  ${first}`, ...rest.map((line) => `    ${line}`)];
}
