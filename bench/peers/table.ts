import type { Cannot } from './runner.js';

export type Unit = 'ms' | 'seconds' | 'ratio' | 'megabytes' | 'count' | 'yes-no' | 'text';

export type Cell = number | boolean | string | Cannot | undefined;

export interface Column {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
}

export interface Row {
  readonly runner: string;
  readonly cells: Readonly<Record<string, Cell>>;
  /** Where this row was measured otherwise than the others. */
  readonly note?: string | undefined;
}

/** One measurement: what it is, and a row per runner. */
export interface Table {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export function shownCell(cell: Cell, unit: Unit): string {
  if (cell === undefined) return '';
  if (typeof cell === 'object') return cell.isLate === true ? cell.cannot : `cannot: ${cell.cannot}`;
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return typeof cell === 'string' ? cell : shownNumber(cell, unit);
}

function shownNumber(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return `${value.toFixed(Math.abs(value) < 10 ? 1 : 0)} ms`;
    case 'seconds':
      return `${value.toFixed(1)} s`;
    case 'ratio':
      return `${value.toFixed(value < 10 ? 1 : 0)} x`;
    case 'megabytes':
      return `${value.toFixed(0)} MB`;
    case 'count':
    case 'yes-no':
    case 'text':
      return String(value);
    default:
      return unit satisfies never;
  }
}

/** What is said below a table of the rows that were measured otherwise. */
function notes({ rows }: Table, nameOf: (runner: string) => string): readonly string[] {
  return rows.flatMap(({ runner, note }) => (note === undefined ? [] : `${nameOf(runner)}: ${note}.`));
}

/** The table for a terminal. */
export function asText(table: Table, nameOf: (runner: string) => string): string {
  if (table.rows.length === 0) return `${table.title}\n  ${table.about}`;
  const head = ['', ...table.columns.map(({ title }) => title)];
  const body = table.rows.map(({ runner, cells }) => [
    nameOf(runner),
    ...table.columns.map(({ id, unit }) => shownCell(cells[id], unit)),
  ]);
  const widths = head.map((_, index) => Math.max(...[head, ...body].map((line) => line[index]?.length ?? 0)));
  const lines = [head, ...body].map((line) =>
    line
      .map((text, index) => (index === 0 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [table.title, ...[...lines, ...notes(table, nameOf)].map((line) => `  ${line}`)].join('\n');
}

/** The table for a document. */
export function asMarkdown(table: Table, nameOf: (runner: string) => string): string {
  if (table.rows.length === 0) return [`### ${table.title}`, '', table.about].join('\n');
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const body = table.rows.map(({ runner, cells }) =>
    line([nameOf(runner), ...table.columns.map(({ id, unit }) => shownCell(cells[id], unit))]),
  );
  const head = line(['', ...table.columns.map(({ title }) => title)]);
  return [
    `### ${table.title}`,
    '',
    table.about,
    '',
    head,
    `|---|${'---:|'.repeat(table.columns.length)}`,
    ...body,
    ...notes(table, nameOf).flatMap((note) => ['', note]),
  ].join('\n');
}
