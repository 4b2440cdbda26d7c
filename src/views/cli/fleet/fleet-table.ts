import type { FleetRun } from '../../../fleet/fleet-status.js';
import { withoutCredentials } from '../../../workspace/repository-name.js';
import { count } from '../../../model/figures.js';
import { oneLine, textWidth } from '../../../words/printable.js';
import { fleetCostText, fleetOutcome, whyText } from '../../../app/fleet-words.js';
import type { CommandContext } from '../command-context.js';
import { shortFleetId } from '../../../words/short-id.js';

const REPOSITORY_COLUMNS = 14;
const WORKER_COLUMNS = 8;
const MOST_CELL_COLUMNS = 30;
/** Which run it is, and its state. */
const FEWEST_COLUMNS = 2;
const LEAST_WHY_COLUMNS = 20;

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly of: (run: FleetRun) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'state', of: (run) => fleetOutcome(run).word },
  { title: 'iter', isNumber: true, of: ({ iteration }) => (iteration === 0 ? '' : count(iteration)) },
  { title: 'cost', isNumber: true, of: fleetCostText },
  {
    title: 'worker',
    of: ({ state, worker }) => (state === 'running' && worker !== undefined ? shortWorker(worker) : ''),
  },
  { title: 'repository', of: ({ repository }) => oneLine(repositoryName(repository), REPOSITORY_COLUMNS) },
];

interface FilledColumn {
  readonly title: string;
  readonly isNumber: boolean;
  readonly cells: readonly string[];
  readonly width: number;
}

/** A line for each run under a head. What no run has takes no room: it belongs to why. */
export function fleetTable(runs: readonly FleetRun[], context: CommandContext): readonly string[] {
  const { terminal } = context;
  const columns = columnsFor(runs, terminal.columns);
  const lines = runs.map((run, index) => {
    const line = lineOf(columns, ({ cells }) => cells[index] ?? '');
    return `${line} ${oneLine(whyText(run, context.now()), terminal.columns - textWidth(line) - 1)}`.trimEnd();
  });
  return [terminal.style('dim', `${lineOf(columns, ({ title }) => title)} why`), ...lines];
}

function columnsFor(runs: readonly FleetRun[], room: number): readonly FilledColumn[] {
  const ids = runs.map(({ id }) => id);
  const all: readonly Column[] = [{ title: 'run', of: ({ id }) => shortFleetId(id, ids) }, ...COLUMNS];
  const filled = all
    .map(({ title, isNumber = false, of }) => {
      const cells = runs.map((run) => oneLine(of(run), MOST_CELL_COLUMNS));
      return { title, isNumber, cells, width: Math.max(...[title, ...cells].map(textWidth)) };
    })
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  // On a narrow screen the last ones give way.
  const widthOf = () => filled.reduce((sum, { width }) => sum + width + 1, 0);
  while (filled.length > FEWEST_COLUMNS && widthOf() + LEAST_WHY_COLUMNS > room) filled.pop();
  return filled;
}

function lineOf(columns: readonly FilledColumn[], cellOf: (column: FilledColumn) => string): string {
  const padded = columns.map((column) => {
    const cell = cellOf(column);
    const blanks = ' '.repeat(column.width - textWidth(cell));
    return column.isNumber ? `${blanks}${cell}` : `${cell}${blanks}`;
  });
  return padded.join(' ');
}

/** What its worker's id ends with: no other has the same. */
export function shortWorker(id: string): string {
  return oneLine(id.slice(-WORKER_COLUMNS), WORKER_COLUMNS);
}

function repositoryName(repository: string): string {
  return /([^/:\\]+?)(?:\.git)?\/*$/.exec(withoutCredentials(repository))?.[1] ?? repository;
}
