import type { Database } from '../../fleet/database.js';
import { checkBatch, shortFleetId } from '../../fleet/find-fleet-run.js';
import { batchSpend } from '../../fleet/fleet-queue.js';
import { type Fleet, type FleetRun, type FleetWorker, QUEUE_STATES, readFleet } from '../../fleet/fleet-status.js';
import { withoutCredentials } from '../../fleet/repository-name.js';
import type { RunOutcome } from '../../fleet/run-outcome.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { count, usd } from '../../stop/figures.js';
import { agoText, untilText } from '../terminal/clock-text.js';
import { jsonText } from '../terminal/json-text.js';
import { oneLine } from '../terminal/one-line.js';
import { type FleetOptions, withFleet } from './fleet-connection.js';
import type { Terminal } from './terminal.js';

export interface FleetStatusOptions extends FleetOptions {
  readonly batch?: string;
  readonly json?: boolean;
}

const REPOSITORY_COLUMNS = 14;
const WORKER_COLUMNS = 8;

/** Who works, what waits, and what became of the rest. */
export async function fleetStatusCommand(options: FleetStatusOptions, terminal: Terminal): Promise<ExitCode> {
  const { batch, json } = options;
  return withFleet(options, terminal, async (database) => {
    if (batch !== undefined) await checkBatch(database, batch);
    const fleet = await readFleet(database, { batch, ...(json === true ? { limit: 100_000 } : {}) });
    const spend = await spendOf(database, batch);
    if (json === true) terminal.raw(`${jsonText(fleetJson(fleet, spend), 2)}\n`);
    else print(fleet, spend, terminal);
    return EXIT_CODES.goal;
  });
}

interface BatchLine {
  readonly id: string;
  readonly spentUsd: number;
  readonly maxCostUsd?: number | undefined;
}

async function spendOf(database: Database, batch: string | undefined): Promise<BatchLine | undefined> {
  const spend = batch === undefined ? undefined : await batchSpend(database, batch);
  return batch === undefined || spend === undefined ? undefined : { id: batch, ...spend };
}

function fleetJson({ runs, ...fleet }: Fleet, batch: BatchLine | undefined) {
  const shown = runs.map((run) => ({ ...run, repository: withoutCredentials(run.repository) }));
  return { ...fleet, ...(batch === undefined ? {} : { batch }), runs: shown };
}

function print({ workers, counts, runs, hasMore }: Fleet, batch: BatchLine | undefined, terminal: Terminal): void {
  if (workers.length === 0) terminal.say('no workers; pawl worker starts one');
  for (const worker of workers) terminal.say(workerLine(worker, terminal));
  terminal.say(QUEUE_STATES.map((state) => `${count(counts[state])} ${state}`).join(', '));
  if (batch !== undefined) terminal.say(batchText(batch, terminal));
  if (runs.length === 0) return;
  terminal.say();
  for (const line of table(runs, terminal)) terminal.say(line);
  if (hasMore) terminal.note('there are more runs; --json prints them all');
}

function workerLine({ id, host, pid, slots, labels, running, startedAt }: FleetWorker, terminal: Terminal): string {
  const what = `${running} of ${slots} slots, up ${agoText(startedAt, Date.now()).replace(/ ago$/, '')}`;
  const can = labels.length === 0 ? '' : `, labels ${labels.join(' ')}`;
  return oneLine(`worker ${shortWorker(id)} ${host}:${pid} ${what}${can}`, terminal.columns);
}

function batchText({ id, spentUsd, maxCostUsd }: BatchLine, terminal: Terminal): string {
  const of = maxCostUsd === undefined ? '' : ` of ${usd(maxCostUsd)}`;
  return oneLine(`batch ${id}: ${usd(spentUsd)}${of} spent`, terminal.columns);
}

function table(runs: readonly FleetRun[], terminal: Terminal): readonly string[] {
  const ids = runs.map(({ id }) => id);
  const shorts = runs.map(({ id }) => shortFleetId(id, ids));
  const idWidth = Math.max(...shorts.map(({ length }) => length));
  const columns = (cells: readonly [string, string, string, string, string, string]) => {
    const [id, state, iteration, cost, worker, repository] = cells;
    const numbers = [iteration.padStart(4), cost.padStart(8)];
    const places = [worker.padEnd(WORKER_COLUMNS), repository.padEnd(REPOSITORY_COLUMNS)];
    return [id.padEnd(idWidth), state.padEnd(10), ...numbers, ...places].join(' ');
  };
  const lines = runs.map((run, index) => {
    const repository = oneLine(repositoryName(run.repository), REPOSITORY_COLUMNS);
    const worker =
      run.worker === undefined || run.state !== 'running' ? '' : oneLine(shortWorker(run.worker), WORKER_COLUMNS);
    const line = columns([
      shorts[index] ?? '',
      oneLine(stateWord(run), 10),
      count(run.iteration),
      costText(run),
      worker,
      repository,
    ]);
    return `${line} ${oneLine(whyText(run), Math.max(10, terminal.columns - line.length - 1))}`.trimEnd();
  });
  return [terminal.style('dim', `${columns(['run', 'state', 'iter', 'cost', 'worker', 'repository'])} why`), ...lines];
}

/** What its worker's id ends with: no other has the same. */
function shortWorker(id: string): string {
  return id.slice(-WORKER_COLUMNS);
}

function repositoryName(repository: string): string {
  return /([^/:\\]+?)(?:\.git)?\/*$/.exec(withoutCredentials(repository))?.[1] ?? repository;
}

/** What somebody wishes of it is what becomes of it next. */
export function stateWord({ state, wish, outcome }: FleetRun): string {
  if (state === 'ended') return (outcome as RunOutcome | undefined)?.status ?? state;
  if (wish === 'cancel') return 'cancelling';
  if (wish === 'pause') return state === 'running' ? 'pausing' : 'paused';
  return state;
}

/** Why it ended, or what it waits for. */
export function whyText({ state, outcome, notBefore, crashes, labels }: FleetRun): string {
  if (state === 'ended') {
    const { error, reasons = [], class: kind = '' } = (outcome ?? {}) as Partial<RunOutcome>;
    return error ?? (reasons.length > 0 ? reasons.join('; ') : kind);
  }
  if (state === 'waiting') return notBefore === undefined ? 'for a command' : untilText(notBefore, Date.now());
  const needs = state === 'queued' && labels.length > 0 ? `for ${labels.join(' ')}` : '';
  return crashes > 0 ? `${crashes} ${crashes === 1 ? 'worker' : 'workers'} died with it` : needs;
}

/** What is known of the cost; an agent may not tell. */
function costText({ spentUsd, iteration, state, outcome }: FleetRun): string {
  if (iteration === 0 && spentUsd === 0) return '';
  const isWhole = state !== 'ended' || (outcome as { readonly costUsd?: number } | undefined)?.costUsd !== undefined;
  if (isWhole) return usd(spentUsd);
  return spentUsd > 0 ? `≥ ${usd(spentUsd)}` : 'unknown';
}
