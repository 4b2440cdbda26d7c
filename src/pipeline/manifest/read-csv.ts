import { TOO_MANY_ITEMS } from '../item-limits.js';

/** A row of a CSV text and the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Reads RFC 4180: quoted cells may hold the separator, quotes and line ends. Throws with the line of what is wrong. */
export function readCsv(text: string, separator: ',' | '\t', mostRows = Number.POSITIVE_INFINITY): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let rowLine = 1;
  let line = 1;
  const endRow = () => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: rowLine, cells });
    if (rows.length > mostRows) throw new Error(TOO_MANY_ITEMS);
    cells = [];
  };
  const cellEnd = new RegExp(`[${separator}\\r\\n]|$`, 'g');
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at <= text.length; ) {
    const start = at;
    if (text[at] === '"') {
      const { cell, end } = quotedCell(text, at, line);
      line += cell.split('\n').length - 1;
      cells.push(cell);
      at = end;
    } else {
      cellEnd.lastIndex = at;
      at = cellEnd.exec(text)?.index ?? text.length;
      cells.push(text.slice(start, at));
    }
    if (text[at] === separator) {
      at += 1;
      continue;
    }
    if (at < text.length && text[at] !== '\r' && text[at] !== '\n') {
      throw new Error(`line ${line}: there is more after a closing quote`);
    }
    endRow();
    if (at >= text.length) return rows;
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    rowLine = line;
  }
  return rows;
}

function quotedCell(text: string, at: number, line: number): { readonly cell: string; readonly end: number } {
  let from = at + 1;
  let cell = '';
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) throw new Error(`line ${line}: a quote is not closed`);
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    from = quote + 2;
  }
}
