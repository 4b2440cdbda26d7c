import { checkRunId } from '../journal/run-places.js';
import { ConfigError } from '../model/errors.js';
import type { Query } from './database.js';
import { placesOf } from './engine/job-places.js';
import type { Fleet } from './open-fleet.js';

const ROWS_PER_INSERT = 500;
/** Postgres keeps no value of JSON beyond 256 MB, and a statement has to be done within its time. */
const LENGTH_PER_INSERT = 8_000_000;

/** What a worker needs to know of a run before it has a record. */
export interface SubmittedRun {
  readonly id: string;
  readonly repository: string;
  /** The branch, tag or commit that the work starts from. */
  readonly base: string;
  /** A worker that lacks one of them does not take the run. */
  readonly labels?: readonly string[] | undefined;
  /** What limits count it by: runs that share an API key, a licence or a machine, under any name. */
  readonly keyGroup?: string | undefined;
  /** Anything that JSON can hold. */
  readonly spec: unknown;
}

export interface Batch {
  readonly id: string;
  /** Of all its runs together. */
  readonly maxCostUsd?: number | undefined;
}

/**
 * Puts the runs at the end of the queue in their order: all of them or none. Runs that are there already stay as they are,
 * so that it can be asked again when nobody knows whether it was done. Returns how many are new. Throws ConfigError.
 */
export async function submitRuns(
  fleet: Pick<Fleet, 'transaction' | 'jobs'>,
  runs: readonly SubmittedRun[],
  options: { readonly batch?: Batch | undefined } = {},
): Promise<number> {
  const { batch } = options;
  const rows = runs.map((run) => rowOf(run, batch));
  return fleet.transaction(async (query) => {
    if (batch !== undefined) await openBatch(query, batch);
    return addRows(fleet, query, rows);
  });
}

/** The same, in a transaction of the caller. */
export async function addRuns(
  fleet: Pick<Fleet, 'jobs'>,
  query: Query,
  runs: readonly SubmittedRun[],
  batch: string | undefined,
): Promise<void> {
  const of = batch === undefined ? undefined : { id: batch };
  if (of !== undefined) await openBatch(query, of);
  const rows = runs.map((run) => rowOf(run, of));
  await addRows(fleet, query, rows);
}

async function addRows(fleet: Pick<Fleet, 'jobs'>, query: Query, rows: readonly string[]): Promise<number> {
  let added = 0;
  for (const part of inParts(rows)) {
    const ids = await insertRuns(query, part);
    await fleet.jobs.add(query, await placesOf(query, ids));
    added += ids.length;
  }
  return added;
}

function* inParts(rows: readonly string[]): Generator<readonly string[]> {
  let part: string[] = [];
  let length = 0;
  for (const row of rows) {
    if (part.length === ROWS_PER_INSERT || (part.length > 0 && length + row.length > LENGTH_PER_INSERT)) {
      yield part;
      [part, length] = [[], 0];
    }
    part.push(row);
    length += row.length;
  }
  if (part.length > 0) yield part;
}

function rowOf(run: SubmittedRun, batch: Batch | undefined): string {
  const { id, repository, base, labels = [], keyGroup, spec } = run;
  checkRunId(id);
  const row = JSON.stringify({ id, batch: batch?.id, repository, base, labels, key_group: keyGroup, spec: spec ?? {} });
  if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(row)) {
    throw new ConfigError([
      { path: id, message: 'it holds a character that Postgres cannot keep (NUL or half a pair)' },
    ]);
  }
  return row;
}

async function openBatch(query: Query, { id, maxCostUsd }: Batch): Promise<void> {
  if (maxCostUsd !== undefined && !(Number.isFinite(maxCostUsd) && maxCostUsd > 0)) {
    throw refused('the budget of a batch is an amount of US dollars above 0');
  }
  await query('insert into pawl.batches (id, max_cost_usd) values ($1, $2) on conflict (id) do nothing', [
    id,
    maxCostUsd ?? null,
  ]);
  const [known] = await query<{ budget: number | null }>(
    'select max_cost_usd as budget from pawl.batches where id = $1',
    [id],
  );
  if (maxCostUsd === undefined || known?.budget === maxCostUsd) return;
  const has = known?.budget ?? undefined;
  const budget = has === undefined ? 'no budget' : `a budget of $${has}`;
  throw refused(
    `the batch ${id} already exists with ${budget}, which cannot change: leave out --batch-cost to add to it, or give another --batch`,
  );
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', place: '--batch-cost', message }]);
}

async function insertRuns(query: Query, rows: readonly string[]): Promise<readonly string[]> {
  const added = await query<{ id: string }>(
    `insert into pawl.runs (id, batch, repository, base, labels, key_group, spec)
     select id, batch, repository, base, array(select jsonb_array_elements_text(labels)), key_group, spec
     from jsonb_to_recordset($1::jsonb)
       as row(id text, batch text, repository text, base text, labels jsonb, key_group text, spec jsonb)
     on conflict (id) do nothing
     returning id`,
    [`[${rows.join(',')}]`],
  );
  return added.map(({ id }) => id);
}
