import type { Database, Query } from './database.js';
import type { Wish } from './engine/engine.js';
import { branchOfRun } from '../workspace/clone.js';
import { IS_THERE, readHeldUp } from './held-up.js';

const USUAL_LIMIT = 100;

export const QUEUE_STATES = ['queued', 'running', 'waiting', 'ended'] as const;

/** Where a run is in the fleet; its own state is in its record. */
export type QueueState = (typeof QUEUE_STATES)[number];

export interface FleetWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
  readonly labels: readonly string[];
  /** How many runs it works on. */
  readonly running: number;
  readonly startedAt: string;
}

export interface FleetRun {
  readonly id: string;
  readonly state: QueueState;
  readonly batch?: string | undefined;
  readonly repository: string;
  readonly base: string;
  readonly labels: readonly string[];
  readonly keyGroup?: string | undefined;
  readonly worker?: string | undefined;
  readonly epoch: number;
  /** What was done is there; undefined before a worker has begun it. */
  readonly branch?: string | undefined;
  readonly wish?: Wish | undefined;
  readonly iteration: number;
  readonly lastSeq: number;
  /** Undefined when nobody knows all of it. */
  readonly spentUsd?: number | undefined;
  /** As far as it is known. */
  readonly atLeastUsd: number;
  readonly crashes: number;
  readonly outcome?: unknown;
  /** Why no worker takes one that is queued. */
  readonly heldUp?: string | undefined;
  /** What keeps it from going on, although a worker tries. */
  readonly trouble?: string | undefined;
  readonly notBefore?: string | undefined;
  /** What a run that waits has said that it waits for. */
  readonly waitsFor?: string | undefined;
  /** Why a run that a worker has is paused by itself, as by a hook; empty when it has not said. */
  readonly pausedFor?: string | undefined;
  readonly createdAt: string;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
}

export interface FleetFilter {
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly QueueState[] | undefined;
  readonly batch?: string | undefined;
  readonly repository?: string | undefined;
  readonly worker?: string | undefined;
  /** How many runs at most; 100 unless told. */
  readonly limit?: number | undefined;
}

/** The fleet at one moment. */
export interface Fleet {
  readonly workers: readonly FleetWorker[];
  /** Of all runs, or of those of the batch, whatever else the filter says. */
  readonly counts: Readonly<Record<QueueState, number>>;
  /** Those that the filter lets through, the last submitted first. */
  readonly runs: readonly FleetRun[];
  /** The filter lets through more than the limit. */
  readonly hasMore: boolean;
}

export async function readFleet(database: Database, filter: FleetFilter = {}): Promise<Fleet> {
  const { limit = USUAL_LIMIT } = filter;
  return database.transaction(async (query) => {
    await query('set transaction isolation level repeatable read, read only');
    const runs = await readFleetRuns(query, { ...filter, limit: limit + 1 });
    return {
      workers: await readWorkers(query),
      counts: await countRuns(query, filter.batch),
      runs: runs.slice(0, limit),
      hasMore: runs.length > limit,
    };
  });
}

/** What a batch has spent, and what it may. */
export interface FleetBatch {
  readonly id: string;
  /** Undefined when a run of it cannot tell. */
  readonly spentUsd?: number | undefined;
  /** As far as it is known. */
  readonly atLeastUsd: number;
  readonly maxCostUsd?: number | undefined;
  readonly runs: number;
  /** How many of them have ended, by the class of their end; `error` is what has none. */
  readonly ended: Readonly<Record<string, number>>;
}

/** Undefined when there is no such batch. */
export async function readBatch({ query }: Pick<Database, 'query'>, id: string): Promise<FleetBatch | undefined> {
  const [row] = await query<{ budget: number | null; known: number; isUnknown: boolean | null; runs: number }>(
    `select max_cost_usd as budget, coalesce(sum(spent_usd), 0) as known, bool_or(${IS_UNKNOWN}) as "isUnknown",
       count(runs.id)::int as runs
     from pawl.batches left join pawl.runs on runs.batch = batches.id where batches.id = $1 group by batches.id`,
    [id],
  );
  if (row === undefined) return undefined;
  const { known: atLeastUsd, budget, isUnknown, runs } = row;
  const classes = await query<{ class: string; runs: number }>(
    `select coalesce(outcome ->> 'class', outcome ->> 'status', 'error') as class, count(*)::int as runs
     from pawl.runs where batch = $1 and state = 'ended' group by 1 order by 1`,
    [id],
  );
  const ended = Object.fromEntries(classes.map((each) => [each.class, each.runs]));
  const spentUsd = isUnknown === true ? undefined : atLeastUsd;
  return { id, spentUsd, atLeastUsd, maxCostUsd: budget ?? undefined, runs, ended };
}

/** One run; undefined when there is none with this id. */
export async function readFleetRun({ query }: Pick<Database, 'query'>, id: string): Promise<FleetRun | undefined> {
  const [run] = await readFleetRuns(query, { ids: [id] });
  return run;
}

async function readWorkers(query: Query): Promise<readonly FleetWorker[]> {
  return query<FleetWorker>(
    `select id, host, pid, slots, labels, ${instant('started_at')} as "startedAt",
       (select count(*)::int from pawl.runs where worker = workers.id and state = 'running') as running
     from pawl.workers where ${IS_THERE} order by started_at, id`,
  );
}

async function countRuns(query: Query, batch: string | undefined): Promise<Readonly<Record<QueueState, number>>> {
  const rows = await query<{ state: QueueState; runs: number }>(
    'select state, count(*)::int as runs from pawl.runs where $1::text is null or batch = $1 group by state',
    [batch ?? null],
  );
  const counts = { queued: 0, running: 0, waiting: 0, ended: 0 };
  for (const { state, runs } of rows) counts[state] = runs;
  return counts;
}

/** An agent that is at work may have told nothing yet; how the run ended says what it never told. */
const IS_UNKNOWN = `(spend_unknown or (state = 'running' and iteration > 0 and spent_usd = 0)
  or (state = 'ended' and coalesce(outcome ? 'iterations' and not outcome ? 'costUsd', false)))`;

/** What holds a run up is among the last that is recorded of it: it does nothing else then, but for what it is told. */
const REST_LINE = `case when state in ('running', 'waiting') then (
  select line from pawl.events where run = runs.id
    and seq > runs.last_seq - case state when 'waiting' then 1000 else 10 end
    and line ~ '"type":"(waiting-started|waiting-ended|paused|resumed|iteration-started)"' order by seq desc limit 1) end`;

/** Those that the filter lets through, the last submitted first. */
export async function readFleetRuns(query: Query, filter: FleetFilter): Promise<readonly FleetRun[]> {
  const { ids, states, batch, repository, worker, limit = USUAL_LIMIT } = filter;
  const rows = await query(
    `select id, state, batch, repository, base, labels, key_group as "keyGroup", worker, epoch, wish, iteration,
       last_seq as "lastSeq", spent_usd as "atLeastUsd",
       case when not ${IS_UNKNOWN} then spent_usd end as "spentUsd", crashes, outcome, trouble, ${instant('not_before')} as "notBefore",
       ${REST_LINE} as "restLine",
       ${instant('created_at')} as "createdAt", ${instant('started_at')} as "startedAt", ${instant('ended_at')} as "endedAt"
     from (select * from pawl.runs
     where ($1::text[] is null or id = any($1)) and ($2::text[] is null or state = any($2))
       and ($3::text is null or batch = $3) and ($4::text is null or repository = $4) and ($5::text is null or worker = $5)
     order by position desc limit $6) runs order by position desc`,
    [ids ?? null, states ?? null, batch ?? null, repository ?? null, worker ?? null, limit],
  );
  const runs = rows.map(runOf);
  const why = await readHeldUp(query, runs);
  return why.size === 0 ? runs : runs.map((run) => ({ ...run, ...heldUpOf(why.get(run.id)) }));
}

function heldUpOf(heldUp: string | undefined): Pick<FleetRun, 'heldUp'> {
  return heldUp === undefined ? {} : { heldUp };
}

function instant(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** What is not known is left out. */
function runOf({ restLine, ...row }: Readonly<Record<string, unknown>>): FleetRun {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  const run = Object.fromEntries(known) as unknown as FleetRun;
  return { ...run, ...(run.lastSeq > 0 ? { branch: branchOfRun(run.id) } : {}), ...restOf(restLine) };
}

function restOf(line: unknown): Pick<FleetRun, 'waitsFor' | 'pausedFor'> {
  if (typeof line !== 'string') return {};
  try {
    const { type, for: waitsFor, reason } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (type === 'paused') return { pausedFor: typeof reason === 'string' ? reason : '' };
    return type === 'waiting-started' && typeof waitsFor === 'string' ? { waitsFor } : {};
  } catch {
    return {};
  }
}
