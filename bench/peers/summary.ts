import { bounds } from './bounds.js';
import { cellOf, machineLine, nameIn, type Results } from './results.js';
import { shownCell, type Unit } from './table.js';

interface Figure {
  readonly title: string;
  readonly table: string;
  readonly column: string;
}

const COSTS: readonly Figure[] = [
  { title: 'per iteration', table: 'iteration', column: 'periodMs' },
  { title: 'pause as it comes', table: 'iteration', column: 'defaultMs' },
  { title: 'to the first agent', table: 'start', column: 'startMs' },
  { title: 'memory', table: 'memory', column: 'silent' },
  { title: '100 MB printed', table: 'memory', column: 'peak100000000' },
  { title: '1 GB printed', table: 'memory', column: 'peak1000000000' },
  { title: '50,000 files, one changed, added', table: 'tracking', column: 'oneMs' },
];

const HAZARDS: readonly Figure[] = [
  { title: 'alive after a timeout', table: 'survival', column: 'timeoutLeft' },
  { title: 'after Ctrl-C', table: 'survival', column: 'interruptLeft' },
  { title: 'after SIGTERM', table: 'survival', column: 'terminateLeft' },
  { title: 'cap 7', table: 'max-iterations', column: 'cap7' },
  { title: 'kill -9: on record', table: 'kill', column: 'kept' },
  { title: 'two agents at once', table: 'kill', column: 'twoAtOnce' },
  { title: 'started in all, cap 5', table: 'kill', column: 'started' },
];

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function unitOf(results: Results, { table, column }: Figure): Unit {
  const columns = results.tables.find(({ id }) => id === table)?.columns;
  return columns?.find(({ id }) => id === column)?.unit ?? 'text';
}

function tableOf(results: Results, figures: readonly Figure[]): readonly string[] {
  const tables = results.tables.filter(({ id }) => figures.some(({ table }) => table === id));
  const measured = results.runners.filter(({ id }) =>
    tables.some(({ rows }) => rows.some(({ runner }) => runner === id)),
  );
  return [
    row(['', ...figures.map(({ title }) => title)]),
    `|---|${'---:|'.repeat(figures.length)}`,
    ...measured.map(({ id }) =>
      row([
        nameIn(results)(id),
        ...figures.map((figure) =>
          shownCell(cellOf(results, figure.table, id, figure.column), unitOf(results, figure)),
        ),
      ]),
    ),
  ];
}

function promises(results: Results): readonly string[] {
  return [
    '| figure | measured | bound |',
    '|---|---:|---:|',
    ...bounds(results).map(({ what, figure, bound = '', holds }) =>
      row([what, figure, holds === false ? `${bound}: missed` : bound]),
    ),
  ];
}

/** The short form for the page of all benchmarks. */
export function summary(results: Results): string {
  return [
    '![What each runner leaves behind, keeps and repeats](peers/results/latest.svg)',
    '',
    ...tableOf(results, HAZARDS),
    '',
    '![Time per iteration](peers/results/latest-iteration.svg)',
    '',
    ...tableOf(results, COSTS),
    '',
    'What Pawl promises of itself. A peer whose finished iterations are all on record after kill -9 is one that it has to be faster than;',
    'the others keep less, and stand beside without a bound.',
    '',
    ...promises(results),
    '',
    `Measured on ${machineLine(results)}.`,
  ].join('\n');
}
