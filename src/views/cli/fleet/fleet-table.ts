import type { FleetRun } from '../../../fleet/fleet-status.js';
import { withoutCredentials } from '../../../workspace/repository-name.js';
import { count } from '../../../model/figures.js';
import { oneLine } from '../../../words/printable.js';
import { fleetCostText, fleetOutcome, whyText } from '../../../app/fleet-words.js';
import { type Column, textTable } from '../../text/text-table.js';
import type { CommandContext } from '../command-context.js';
import { shortIds } from '../../../words/short-id.js';

const REPOSITORY_COLUMNS = 14;
const WORKER_COLUMNS = 8;
const MOST_CELL_COLUMNS = 30;
const LEAST_WHY_COLUMNS = 20;

const COLUMNS: readonly Column[] = [
  { title: 'run', most: MOST_CELL_COLUMNS },
  { title: 'state', most: MOST_CELL_COLUMNS },
  { title: 'iter', isNumber: true, most: MOST_CELL_COLUMNS, isOptional: true },
  { title: 'cost', isNumber: true, most: MOST_CELL_COLUMNS, isOptional: true },
  { title: 'worker', isOptional: true },
  { title: 'repository', isOptional: true },
  { title: 'branch', isOptional: true },
  { title: 'why' },
];

/** A line for each run under a head. What no run has takes no room: it belongs to why. */
export function fleetTable(runs: readonly FleetRun[], context: CommandContext): readonly string[] {
  const ids = runs.map(({ id }) => id);
  const short = shortIds(ids);
  const rows = runs.map((run) => [
    short(run.id),
    fleetOutcome(run).word,
    run.iteration === 0 ? '' : count(run.iteration),
    fleetCostText(run),
    run.state === 'running' && run.worker !== undefined ? shortWorker(run.worker) : '',
    oneLine(repositoryName(run.repository), REPOSITORY_COLUMNS),
    run.branch ?? '',
    whyText(run, context.now()),
  ]);
  return textTable(COLUMNS, rows, context.terminal, { gap: 1, lastNeeds: LEAST_WHY_COLUMNS });
}

/** What its worker's id ends with: no other has the same. */
export function shortWorker(id: string): string {
  return oneLine(id.slice(-WORKER_COLUMNS), WORKER_COLUMNS);
}

function repositoryName(repository: string): string {
  return /([^/:\\]+?)(?:\.git)?\/*$/.exec(withoutCredentials(repository))?.[1] ?? repository;
}
