import { shortFleetId } from '../../fleet/find-fleet-run.js';
import type { FleetRun } from '../../fleet/fleet-status.js';
import { withoutCredentials } from '../../fleet/repository-name.js';
import { count } from '../../stop/figures.js';
import { oneLine } from '../terminal/one-line.js';
import { textWidth } from '../terminal/text-width.js';
import { fleetCostText, stateWord, whyText } from './fleet-words.js';
import type { Terminal } from './terminal.js';

const REPOSITORY_COLUMNS = 14;
const WORKER_COLUMNS = 8;
/** Where there is less, the table says nothing that a look at the run does not. */
const LEAST_WHY_COLUMNS = 10;

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly of: (run: FleetRun) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'state', of: stateWord },
  { title: 'iter', isNumber: true, of: ({ iteration }) => (iteration === 0 ? '' : count(iteration)) },
  { title: 'cost', isNumber: true, of: fleetCostText },
  {
    title: 'worker',
    of: ({ state, worker }) => (state === 'running' && worker !== undefined ? shortWorker(worker) : ''),
  },
  { title: 'repository', of: ({ repository }) => oneLine(repositoryName(repository), REPOSITORY_COLUMNS) },
];

/** A line for each run under a head. What no run has takes no room: it belongs to why. */
export function fleetTable(runs: readonly FleetRun[], terminal: Terminal): readonly string[] {
  const ids = runs.map(({ id }) => id);
  const all: readonly Column[] = [{ title: 'run', of: ({ id }) => shortFleetId(id, ids) }, ...COLUMNS];
  const columns = all
    .map(({ title, isNumber = false, of }) => ({ title, isNumber, cells: runs.map((run) => oneLine(of(run), 30)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const lineOf = (cellOf: (column: (typeof columns)[number]) => string) =>
    columns
      .map((column) => {
        const width = Math.max(...[column.title, ...column.cells].map(textWidth));
        const cell = cellOf(column);
        const blanks = ' '.repeat(width - textWidth(cell));
        return column.isNumber ? `${blanks}${cell}` : `${cell}${blanks}`;
      })
      .join(' ');
  const lines = runs.map((run, index) => {
    const line = lineOf(({ cells }) => cells[index] ?? '');
    const room = Math.max(LEAST_WHY_COLUMNS, terminal.columns - textWidth(line) - 1);
    return `${line} ${oneLine(whyText(run), room)}`.trimEnd();
  });
  return [terminal.style('dim', `${lineOf(({ title }) => title)} why`), ...lines];
}

/** What its worker's id ends with: no other has the same. */
export function shortWorker(id: string): string {
  return oneLine(id.slice(-WORKER_COLUMNS), WORKER_COLUMNS);
}

function repositoryName(repository: string): string {
  return /([^/:\\]+?)(?:\.git)?\/*$/.exec(withoutCredentials(repository))?.[1] ?? repository;
}
