import { formatDuration } from '../../model/duration.js';
import type { Backtest, BacktestRow } from '../../replay/backtest.js';
import type { Sweep } from '../../replay/sweep.js';
import { count, plural, usd } from '../../stop/figures.js';
import { type Terminal, wrap } from '../cli/terminal.js';
import { textTable } from './text-table.js';

interface Cell {
  readonly title: string;
  readonly of: (row: BacktestRow) => string;
}

/** One row per value: what it would have saved on all runs, and what it would have missed. */
export function sweepLines({ rows }: Backtest, sweeps: readonly Sweep[], terminal: Terminal): readonly string[] {
  const goesOn = rows.some(({ goOn }) => goOn > 0);
  const cells: readonly Cell[] = [
    { title: 'stopped', of: ({ stoppedEarlier }) => count(stoppedEarlier) },
    { title: 'iterations', of: ({ iterationsSaved }) => count(iterationsSaved) },
    { title: 'cost', of: costText },
    // Two conditions leave no room for it.
    ...(sweeps.length > 1
      ? []
      : [{ title: 'active', of: ({ activeMsSaved }: BacktestRow) => formatDuration(activeMsSaved) }]),
    { title: sweeps.length > 1 ? 'missed' : 'goals missed', of: ({ goalsMissed }) => count(goalsMissed) },
    ...(goesOn ? [{ title: 'go on', of: ({ goOn }: BacktestRow) => count(goOn) }] : []),
  ];
  const columns = [
    { title: ' ' },
    ...[...sweeps.map(({ type }) => type), ...cells.map(({ title }) => title)].map((title) => ({
      title,
      isNumber: true,
    })),
  ];
  const names = valueNames(sweeps);
  const lines = rows.map((row, index) => [
    row.isBest ? '*' : '',
    ...(names[index] ?? [row.name]),
    ...cells.map((cell) => cell.of(row)),
  ]);
  return [...textTable(columns, lines, terminal), '', ...notesOf(rows).flatMap((note) => hanging(note, terminal))];
}

function costText({ costSavedUsd, costUnknown }: BacktestRow): string {
  return `${usd(costSavedUsd)}${costUnknown > 0 ? '+' : ''}`;
}

function notesOf(rows: readonly BacktestRow[]): readonly string[] {
  const unknown = Math.max(0, ...rows.map(({ costUnknown }) => costUnknown));
  const runs = plural(rows[0]?.runs ?? 0, 'run');
  return [
    '* no other value saves more cost without missing more goals',
    `stopped: how many of ${runs} before their end; then what that saves`,
    ...(rows.some(({ goOn }) => goOn > 0) ? ['go on: have ended, and would not have; what then is not known'] : []),
    ...(unknown === 0 ? [] : [`+ and what nobody knows: the cost of up to ${plural(unknown, 'run')} among them`]),
  ];
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
