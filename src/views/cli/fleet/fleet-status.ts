import { checkBatch } from '../../../fleet/find-fleet-run.js';
import {
  type Fleet,
  type FleetBatch,
  type FleetWorker,
  QUEUE_STATES,
  readBatch,
  readFleet,
} from '../../../fleet/fleet-status.js';
import { withoutCredentials } from '../../../workspace/repository-name.js';
import { formatDuration } from '../../../model/duration.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { count, plural, usd } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine, printable } from '../../../words/printable.js';
import { type FleetOptions, withFleet } from './fleet-connection.js';
import { fleetTable, shortWorker } from './fleet-table.js';
import { knownCost } from '../../../app/fleet-words.js';
import { wrap } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface FleetStatusOptions extends FleetOptions {
  readonly batch?: string;
  readonly json?: boolean;
}

/** Who works, what waits, and what became of the rest. */
export async function fleetStatusCommand(options: FleetStatusOptions, context: CommandContext): Promise<ExitCode> {
  const { batch, json } = options;
  return withFleet(options, context, async (database) => {
    if (batch !== undefined) await checkBatch(database, batch);
    const fleet = await readFleet(database, { batch, ...(json === true ? { limit: 100_000 } : {}) });
    const spend = batch === undefined ? undefined : await readBatch(database, batch);
    if (json === true) context.terminal.raw(`${jsonText(fleetJson(fleet, spend), 2)}\n`);
    else print(fleet, spend, context);
    return EXIT_CODES.goal;
  });
}

/** What is not known is null: a program that adds up must not take it for nothing. */
function fleetJson({ runs, ...fleet }: Fleet, batch: FleetBatch | undefined) {
  const shown = runs.map((run) => ({
    ...run,
    repository: withoutCredentials(run.repository),
    spentUsd: run.spentUsd ?? null,
  }));
  const spent = batch === undefined ? undefined : { ...batch, spentUsd: batch.spentUsd ?? null };
  return { ...fleet, ...(spent === undefined ? {} : { batch: spent }), runs: shown };
}

function print(
  { workers, counts, runs, hasMore }: Fleet,
  batch: FleetBatch | undefined,
  context: CommandContext,
): void {
  const { terminal } = context;
  if (workers.length === 0) terminal.say('no workers; pawl worker starts one');
  for (const worker of workers) terminal.say(workerLine(worker, context));
  const states = QUEUE_STATES.map((state) => `${count(counts[state])} ${state}`).join(', ');
  for (const line of wrap(batch === undefined ? `runs: ${states}` : batchText(batch, states), terminal.columns)) {
    terminal.say(line);
  }
  if (runs.length === 0) return;
  terminal.say();
  for (const line of fleetTable(runs, context)) terminal.say(line);
  if (hasMore) terminal.note(`these are the last ${count(runs.length)}; --json prints all runs`);
}

function workerLine(
  { id, host, pid, slots, labels, running, startedAt }: FleetWorker,
  context: CommandContext,
): string {
  const up = formatDuration(Math.max(0, context.now() - Date.parse(startedAt)));
  const what = `${running} of ${plural(slots, 'slot')}, up ${up}`;
  const can = labels.length === 0 ? '' : `, labels ${labels.join(' ')}`;
  return oneLine(`worker ${shortWorker(id)} (process ${pid} on ${host}): ${what}${can}`, context.terminal.columns);
}

function batchText({ id, spentUsd, atLeastUsd, maxCostUsd, runs, ended }: FleetBatch, states: string): string {
  const of = maxCostUsd === undefined ? '' : ` of ${usd(maxCostUsd)}`;
  const spent = spentUsd === undefined && atLeastUsd === 0 ? 'an unknown amount' : knownCost(spentUsd, atLeastUsd);
  const done = Object.values(ended).reduce((sum, each) => sum + each, 0);
  const how = Object.entries(ended).map(([word, each]) => `${count(each)} ${word}`);
  const progress = `${count(done)} of ${plural(runs, 'run')} ended${done === 0 ? '' : ` (${how.join(', ')})`}`;
  return printable(`batch ${id}: ${states}; ${spent}${of} spent; ${progress}`);
}
