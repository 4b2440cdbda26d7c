import { formatDuration } from '../../model/duration.js';
import { type Backtest, type BacktestRow, hasKnownCost, isBlockedByBudget } from '../../replay/backtest.js';
import type { Sweep } from '../../replay/sweep.js';
import { count, plural, usd } from '../../model/figures.js';
import { type Terminal, wrap } from './terminal.js';
import { oneLine } from '../../words/printable.js';
import { textTable } from './text-table.js';

interface Cell {
  readonly title: string;
  readonly of: (row: BacktestRow) => string;
}

/** One row per value: what it would have saved on all runs, and what it would have missed. */
export function sweepLines(backtest: Backtest, sweeps: readonly Sweep[], terminal: Terminal): readonly string[] {
  const { rows } = backtest;
  const isPair = sweeps.length > 1;
  const nameColumns = sweeps.reduce((sum, { type }) => sum + type.length + GAP, 0);
  const isNarrow = terminal.columns < nameColumns + (isPair ? PAIR_COLUMNS : ONE_COLUMNS);
  const cells = cellsOf(rows, isPair, isNarrow);
  const columns = [
    { title: ' ' },
    ...[
      ...sweeps.map(({ type }) => (isNarrow ? oneLine(type, isPair ? 11 : 19) : type)),
      ...cells.map(({ title }) => title),
    ].map((title) => ({
      title,
      isNumber: true,
    })),
  ];
  const names = valueNames(sweeps);
  const lines = rows.map((row, index) => [
    row.isBest ? '*' : '',
    ...(names[index] ?? [row.name]),
    ...cells.map((cell) => (isUnjudged(row) ? '?' : cell.of(row))),
  ]);
  const notes = [...notesOf(backtest, isPair && isNarrow), ...unjudgedNotes(backtest, sweeps)];
  return [...textTable(columns, lines, terminal), '', ...notes.flatMap((note) => hanging(note, terminal))];
}

const GAP = 2;
/** What the figures need next to the names. */
const ONE_COLUMNS = 62;
const PAIR_COLUMNS = 48;

/** Two conditions, and a narrow terminal, leave no room for everything. */
function cellsOf(rows: readonly BacktestRow[], isPair: boolean, isNarrow: boolean): readonly Cell[] {
  const stopped: Cell = { title: 'stopped', of: ({ stoppedEarlier }) => count(stoppedEarlier) };
  const active: Cell = { title: 'active', of: ({ activeMsSaved }) => formatDuration(activeMsSaved) };
  const goOn: Cell = { title: 'go on', of: (row) => count(row.goOn) };
  return [
    ...(isPair && isNarrow ? [] : [stopped]),
    { title: isNarrow ? 'iter.' : 'iterations', of: ({ iterationsSaved }) => count(iterationsSaved) },
    { title: 'cost', of: costText },
    ...(isPair || isNarrow ? [] : [active]),
    { title: isPair || isNarrow ? 'missed' : 'goals missed', of: ({ goalsMissed }) => count(goalsMissed) },
    ...(rows.some((row) => row.goOn > 0) ? [goOn] : []),
  ];
}

/** In no run could it be told what it would have done. */
function isUnjudged({ unjudged, runs }: BacktestRow): boolean {
  return unjudged > 0 && unjudged === runs;
}

function costText(row: BacktestRow): string {
  const { costSavedUsd, costUnknown } = row;
  if (costUnknown > 0 && !hasKnownCost(row)) return 'unknown';
  return `${usd(costSavedUsd)}${costUnknown > 0 ? '+' : ''}`;
}

function notesOf({ rows, comparedBy }: Backtest, isShort: boolean): readonly string[] {
  const unknown = Math.max(0, ...rows.map((row) => (hasKnownCost(row) ? row.costUnknown : 0)));
  const blocked = Math.max(0, ...rows.map((row) => row.blocked));
  const runs = plural(rows[0]?.runs ?? 0, 'run');
  return [
    ...(rows.some(({ isBest }) => isBest) ? [BEST[comparedBy]] : []),
    isShort
      ? `what is saved of ${runs} by a stop before their end`
      : `stopped: how many of ${runs} before their end; then what that saves`,
    ...(rows.some(({ goOn }) => goOn > 0) ? ['go on: have ended, and would not have; what then is not known'] : []),
    ...(unknown === 0 ? [] : [`+ plus the unknown cost of up to ${plural(unknown, 'run')}`]),
    ...(blocked === 0 ? [] : [`up to ${blocked} of them because their spend is unknown: a budget then blocks`]),
  ];
}

const BEST = {
  cost: '* no other value saves more cost without missing more goals',
  iterations: '* no other value saves more iterations without missing more goals; no cost is known',
} as const;

/** What no one inspected, by the name of the condition. */
function unjudgedNotes({ runs }: Backtest, sweeps: readonly Sweep[]): readonly string[] {
  return sweeps.flatMap(({ type }) => {
    const found = new Map<string, string>();
    // A budget that blocks is told of already.
    for (const { name, missing } of runs.flatMap(({ replays }) => replays.filter((one) => !isBlockedByBudget(one)))) {
      const fact = missing.find((one) => one.type === type && one.unknown === one.of);
      if (fact !== undefined && !found.has(name)) found.set(name, fact.what);
    }
    const [what] = found.values();
    if (what === undefined) return [];
    return [`? not recorded in ${plural(found.size, 'run')}, and so unknown there: ${type} (${what})`];
  });
}

/** In the order of the candidates. */
function valueNames([first, second]: readonly Sweep[]): readonly (readonly string[])[] {
  const own = (first?.values ?? []).map(({ text }) => text);
  if (second === undefined) return own.map((text) => [text]);
  return own.flatMap((text) => second.values.map((value) => [text, value.text]));
}

function hanging(text: string, { columns }: Terminal): readonly string[] {
  const [head = '', ...rest] = wrap(text, columns - 2);
  return [head, ...rest.map((line) => `  ${line}`)];
}
