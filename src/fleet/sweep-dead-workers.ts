import type { Database, Query } from './database.js';
import { lockQueue } from './fleet-queue.js';

/** A connection that blinks, a restart and a fail-over are no death: a worker has so long to get its lock back. */
const MISSING_SECONDS = 3;
/** When nobody could look for so long, it is counted from the beginning: the database was away from the worker, too. */
const UNSEEN_SECONDS = 10;
const MOST_CRASHES = 5;

export interface Sweep {
  /** The workers that were found dead. */
  readonly workers: readonly string[];
  /** The runs that others can take now. */
  readonly requeued: readonly string[];
  /** The runs that were given up. */
  readonly ended: readonly string[];
}

/**
 * Finds workers whose lease nobody has held for a while and puts their runs back into the queue, under a new epoch: from then
 * on the old worker cannot record anything more, should it be alive. A run whose workers die again and again without
 * recording anything is ended.
 */
export async function sweepDeadWorkers(database: Database): Promise<Sweep> {
  return database.transaction(async (query) => {
    await lockQueue(query);
    // A claim holds the worker's row, so that it is seen here or finds no worker.
    await query(MARK, [UNSEEN_SECONDS]);
    const dead = await query<{ id: string }>(REMOVE, [MISSING_SECONDS]);
    return { workers: dead.map(({ id }) => id), ...(await takeBackRuns(query)) };
  });
}

/** Looks at the locks and takes none: a worker that comes back must not find its own lock taken by those who look. */
const MARK = `
with looked as (
  select id, not exists (
    select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = lock_key) as is_free
  from pawl.workers
), counted as (
  select looked.id, is_free and missing_seen_at >= pg_postmaster_start_time()
    and missing_seen_at >= clock_timestamp() - make_interval(secs => $1) as goes_on
  from looked join pawl.workers using (id)
  where is_free or missing_since is not null
)
update pawl.workers set missing_seen_at = clock_timestamp(),
  missing_since = case when goes_on then missing_since when is_free then clock_timestamp() end
from looked join counted using (id) where workers.id = looked.id`;

/** Holds the lock to the end of the transaction, so that its worker does not come back in between. */
const REMOVE = `
with overdue as materialized (
  select id, lock_key from pawl.workers where missing_since <= clock_timestamp() - make_interval(secs => $1)
)
delete from pawl.workers using overdue
where workers.id = overdue.id and pg_try_advisory_xact_lock(overdue.lock_key) returning workers.id`;

async function takeBackRuns(query: Query): Promise<Omit<Sweep, 'workers'>> {
  const runs = await query<{ id: string; state: 'queued' | 'ended' }>(
    `with orphan as (
       select id, case when epoch = (select events.epoch from pawl.events where run = runs.id order by seq desc limit 1)
         then 0 else crashes + 1 end as crashes
       from pawl.runs
       where state = 'running' and not exists (select 1 from pawl.workers where workers.id = runs.worker)
       for update of runs
     )
     update pawl.runs set worker = null, epoch = epoch + 1, claim = null, crashes = orphan.crashes, was_left = false, trouble = null,
       state = case when orphan.crashes < $1 then 'queued' else 'ended' end,
       outcome = case when orphan.crashes < $1 then null else $2::jsonb end,
       ended_at = case when orphan.crashes < $1 then null else now() end
     from orphan where runs.id = orphan.id
     returning runs.id, runs.state`,
    [MOST_CRASHES, JSON.stringify(CRASHED)],
  );
  if (runs.length > 0) await query(`select pg_notify('pawl_queue', '')`);
  const inState = (state: string) => runs.filter((run) => run.state === state).map(({ id }) => id);
  return { requeued: inState('queued'), ended: inState('ended') };
}

const CRASHED = {
  status: 'error',
  error: `${MOST_CRASHES} workers in a row died with it before they recorded anything`,
};
