import type { Database } from './database.js';

const RUNS_PER_TRANSACTION = 200;

/** Of a batch that still works nothing goes: what its runs have spent counts against its budget. */
const PRUNE = `
with old as (
  select id from pawl.runs
  where state = 'ended' and ended_at < now() - make_interval(secs => $1)
    and (batch is null or not exists (
      select 1 from pawl.runs other where other.batch = runs.batch and other.state <> 'ended'))
  order by position limit ${RUNS_PER_TRANSACTION}
  for update skip locked
), events as (delete from pawl.events using old where events.run = old.id
), commands as (delete from pawl.commands using old where commands.run = old.id)
select id from old`;

/** Deletes runs that ended so long ago, with all that is recorded of them. Returns how many. */
export async function pruneRuns(database: Pick<Database, 'transaction'>, olderThanMs: number): Promise<number> {
  for (let pruned = 0; ; ) {
    const ids = await database.transaction(async (query) => {
      const old = await query<{ id: string }>(PRUNE, [olderThanMs / 1000]);
      await query('delete from pawl.runs where id = any($1::text[])', [old.map(({ id }) => id)]);
      return old;
    });
    pruned += ids.length;
    if (ids.length < RUNS_PER_TRANSACTION) return pruned;
  }
}
