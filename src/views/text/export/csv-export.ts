import type { ExportedItem, ExportedIteration, RunExport } from './run-export.js';
import { printable } from '../../../words/printable.js';

type Columns<T> = Readonly<Record<string, (row: T) => Cell>>;

const ITERATION_COLUMNS: Columns<ExportedIteration> = {
  iteration: (row) => row.iteration,
  try: (row) => row.try,
  outcome: (row) => row.outcome,
  interruption: (row) => row.interruption,
  started_at: (row) => row.startedAt,
  ended_at: (row) => row.endedAt,
  duration_ms: (row) => row.durationMs,
  active_ms: (row) => row.activeMs,
  cost_usd: (row) => row.costUsd,
  is_estimated: (row) => row.isEstimated,
  input_tokens: (row) => row.tokens.input,
  output_tokens: (row) => row.tokens.output,
  cache_read_tokens: (row) => row.tokens.cacheRead,
  cache_write_tokens: (row) => row.tokens.cacheWrite,
  reasoning_tokens: (row) => row.tokens.reasoning,
  total_tokens: (row) => row.tokens.total,
  context_percent: (row) => row.contextPercent,
  tests_passed: (row) => row.testsPassed,
  tests_failed: (row) => row.testsFailed,
  changed_files: (row) => row.changedFiles,
  made_progress: (row) => row.madeProgress,
  summary: (row) => row.summary,
  error: (row) => row.error,
};

const ITEM_COLUMNS: Columns<ExportedItem> = {
  item: (row) => row.item,
  index: (row) => row.index,
  status: (row) => row.status,
  attempts: (row) => row.attempts.length,
  interrupted_attempts: (row) => row.interrupted,
  duration_ms: (row) => row.durationMs,
  last_outcome: (row) => row.attempts.at(-1)?.outcome,
  last_reasons: (row) => row.attempts.at(-1)?.reasons?.join(' '),
  last_score: (row) => row.attempts.at(-1)?.score,
  message: (row) => row.message,
};

/** A row for each iteration, or for each item of a pipeline. */
export function csvExport({ run, iterations, items }: RunExport): string {
  return items === undefined ? table(run.id, ITERATION_COLUMNS, iterations) : table(run.id, ITEM_COLUMNS, items);
}

function table<T>(run: string, columns: Columns<T>, rows: readonly T[]): string {
  const head = ['run', ...Object.keys(columns)];
  return csvText([head, ...rows.map((row) => [run, ...Object.values(columns).map((cellOf) => cellOf(row))])]);
}

type Cell = string | number | boolean | undefined;

/** What a spreadsheet takes for the beginning of a formula, also in its full-width forms. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Rows in the form of RFC 4180. No cell of it is run as a formula. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  const text = defused(printable(String(cell ?? '')));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function defused(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}
