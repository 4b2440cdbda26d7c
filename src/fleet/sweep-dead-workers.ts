import type { Database, Query } from './database.js';
import { lockQueue } from './fleet-queue.js';

/** Workers that lost their connections with the server take their leases again first. */
const AFTER_START_SECONDS = 5;
const MOST_CRASHES = 5;

export interface Sweep {
  /** The workers that were found dead. */
  readonly workers: readonly string[];
  /** The runs that others can take now. */
  readonly requeued: readonly string[];
  /** The runs that were given up. */
  readonly ended: readonly string[];
}

const NOTHING: Sweep = { workers: [], requeued: [], ended: [] };

/**
 * Finds workers whose lease nobody holds and puts their runs back into the queue, under a new epoch: from then on the old
 * worker cannot record anything more, should it be alive. A run whose workers die again and again without recording
 * anything is ended.
 */
export async function sweepDeadWorkers(database: Database): Promise<Sweep> {
  return database.transaction(async (query) => {
    const [server] = await query<{ settled: boolean }>(
      `select clock_timestamp() > pg_postmaster_start_time() + make_interval(secs => $1) as settled`,
      [AFTER_START_SECONDS],
    );
    if (server?.settled !== true) return NOTHING;
    await lockQueue(query);
    // A claim holds the worker's row, so that it is seen here or finds no worker.
    const dead = await query<{ id: string }>(
      'delete from pawl.workers where pg_try_advisory_xact_lock(lock_key) returning id',
    );
    return { workers: dead.map(({ id }) => id), ...(await takeBackRuns(query)) };
  });
}

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
