import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSpec } from '../model/run-spec.js';
import type { BatchAccount } from '../run/run-host.js';
import type { Database } from './database.js';
import { mayPass } from './database-error.js';
import type { BatchSpend, RunRecords } from './engine/engine.js';

const RETRY_MS = 500;

const SPEND = `
with told as (
  select runs.*, max(dearest_usd) over () as dearest from pawl.runs where batch = $1
)
select max_cost_usd as budget, max(dearest) as dearest,
  coalesce(sum(spent_usd + coalesce(unknown_iterations * dearest, 0)) filter (where told.id <> $2), 0) as spent,
  min(told.id) filter (where told.id <> $2 and spend_unknown and (unknown_iterations = 0 or dearest is null)) as unknown
from pawl.batches left join told on true
where batches.id = $1 group by batches.id`;

/** What all runs of a batch have spent, as far as it is recorded. Undefined when there is no such batch. */
export async function batchSpend(
  { query }: Pick<Database, 'query'>,
  batch: string,
  except = '',
): Promise<BatchSpend | undefined> {
  const [row] = await query<Record<'budget' | 'dearest', number | null> & { spent: number; unknown: string | null }>(
    SPEND,
    [batch, except],
  );
  if (row === undefined) return undefined;
  const { spent: spentUsd, budget, dearest, unknown } = row;
  return {
    spentUsd,
    maxCostUsd: budget ?? undefined,
    dearestUsd: dearest ?? undefined,
    unknownRun: unknown ?? undefined,
  };
}

/** Looks up what the batch of a run has spent, with or without the run itself. */
type LookUpSpend = RunRecords['batchSpend'];

/** Why a run of the batch need not even begin; undefined while there is something left to spend. */
export async function batchStop(spend: LookUpSpend, batch: string | undefined): Promise<string | undefined> {
  const found = await spend(false);
  if (found?.maxCostUsd === undefined || found.spentUsd < found.maxCostUsd) return undefined;
  return `the batch ${batch}: $${found.spentUsd.toFixed(2)} of $${found.maxCostUsd.toFixed(2)} are spent`;
}

/** The run with its share in the budget of its batch: one more limit, and the account by which it is judged. */
export async function withBatchBudget(
  spec: RunSpec,
  { spend, batch, signal }: SharedBudget,
): Promise<{ readonly spec: RunSpec; readonly batch?: BatchAccount | undefined }> {
  const usd = (await spend(false))?.maxCostUsd;
  if (batch === undefined || usd === undefined) return { spec };
  const { policy } = spec;
  const limits = [...policy.limits, { type: 'max_cost_of_batch', usd } as const];
  const others = async () => {
    const { spentUsd, dearestUsd, unknownRun } = await untilAnswered(() => spend(true), signal);
    const problem = unknownRun && `what ${unknownRun} has spent is not known`;
    return { usd: problem === undefined ? spentUsd : undefined, dearestUsd, problem };
  };
  return { spec: { ...spec, policy: { ...policy, limits } }, batch: { batch, others } };
}

interface SharedBudget {
  readonly spend: LookUpSpend;
  readonly batch: string | undefined;
  /** The run is not ours any more. */
  readonly signal: AbortSignal;
}

async function untilAnswered(ask: () => Promise<BatchSpend | undefined>, signal: AbortSignal): Promise<BatchSpend> {
  for (;;) {
    signal.throwIfAborted();
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      return (await ask()) ?? { spentUsd: 0 };
    } catch (error) {
      if (!mayPass(error)) throw error;
      // oxlint-disable-next-line no-await-in-loop -- not at once
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}
