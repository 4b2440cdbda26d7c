import { ConfigError } from '../model/errors.js';
import type { Database } from './database.js';
import { openJobs, prepareJobs } from './engine/boss.js';
import { reconcile } from './engine/reconcile.js';
import { prepareSchema } from './schema.js';

export interface PrepareOptions {
  /** After so long without a sign of life of a worker its runs go to others; what is set stays when it is left out. */
  readonly heartbeatSeconds?: number | undefined;
}

/**
 * Makes or upgrades all tables of a fleet. Runs that wait in a queue of an earlier Pawl are carried over; while one of its
 * workers lives, which would take them beside the new ones, it throws ConfigError. Repeatable.
 */
export async function prepareFleet(database: Database, { heartbeatSeconds }: PrepareOptions = {}): Promise<void> {
  await refuseOldWorkers(database);
  await prepareJobs(database, heartbeatSeconds);
  await prepareSchema(database);
  const jobs = await openJobs(database);
  try {
    await reconcile({ ...database, jobs });
  } finally {
    await jobs.close();
  }
}

const LOCK_KEY = `select 1 from information_schema.columns
  where table_schema = 'pawl' and table_name = 'workers' and column_name = 'lock_key'`;

/** A worker of an earlier Pawl holds a lock of the database for as long as it lives. */
const OLD_WORKERS = `
select id from pawl.workers where exists (
  select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = lock_key)
order by id`;

async function refuseOldWorkers({ query }: Database): Promise<void> {
  const [column] = await query(LOCK_KEY);
  if (column === undefined) return;
  const living = await query<{ id: string }>(OLD_WORKERS);
  if (living.length === 0) return;
  const names = living.map(({ id }) => id).join(', ');
  const way = 'end them (SIGTERM lets their iterations end; their runs are kept), then try again';
  throw new ConfigError([{ path: '', message: `workers of an earlier Pawl are still at work: ${names}; ${way}` }]);
}
