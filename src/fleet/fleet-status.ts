import type { Database, Query } from './database.js';
import type { Wish } from './fleet-queue.js';

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
  readonly apiKey?: string | undefined;
  readonly worker?: string | undefined;
  readonly epoch: number;
  readonly wish?: Wish | undefined;
  readonly iteration: number;
  readonly lastSeq: number;
  readonly spentUsd: number;
  readonly crashes: number;
  readonly outcome?: unknown;
  readonly notBefore?: string | undefined;
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
  /** Of all runs, whatever the filter. */
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
    const runs = await readRuns(query, filter, limit + 1);
    return {
      workers: await readWorkers(query),
      counts: await countRuns(query),
      runs: runs.slice(0, limit),
      hasMore: runs.length > limit,
    };
  });
}

async function readWorkers(query: Query): Promise<readonly FleetWorker[]> {
  return query<FleetWorker>(
    `select id, host, pid, slots, labels, ${instant('started_at')} as "startedAt",
       (select count(*)::int from pawl.runs where worker = workers.id and state = 'running') as running
     from pawl.workers order by started_at, id`,
  );
}

async function countRuns(query: Query): Promise<Readonly<Record<QueueState, number>>> {
  const rows = await query<{ state: QueueState; runs: number }>(
    'select state, count(*)::int as runs from pawl.runs group by state',
  );
  const counts = { queued: 0, running: 0, waiting: 0, ended: 0 };
  for (const { state, runs } of rows) counts[state] = runs;
  return counts;
}

async function readRuns(query: Query, filter: FleetFilter, limit: number): Promise<readonly FleetRun[]> {
  const { ids, states, batch, repository, worker } = filter;
  const rows = await query(
    `select id, state, batch, repository, base, labels, api_key as "apiKey", worker, epoch, wish, iteration,
       last_seq as "lastSeq", spent_usd as "spentUsd", crashes, outcome, ${instant('not_before')} as "notBefore",
       ${instant('created_at')} as "createdAt", ${instant('started_at')} as "startedAt", ${instant('ended_at')} as "endedAt"
     from pawl.runs
     where ($1::text[] is null or id = any($1)) and ($2::text[] is null or state = any($2))
       and ($3::text is null or batch = $3) and ($4::text is null or repository = $4) and ($5::text is null or worker = $5)
     order by position desc limit $6`,
    [ids ?? null, states ?? null, batch ?? null, repository ?? null, worker ?? null, limit],
  );
  return rows.map(runOf);
}

function instant(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** What is not known is left out. */
function runOf(row: Readonly<Record<string, unknown>>): FleetRun {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as FleetRun;
}
