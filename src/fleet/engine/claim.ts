import type { Fleet } from '../open-fleet.js';
import type { Query } from '../database.js';
import { forPostgres } from '../run-trouble.js';
import type { TakenJob } from './boss.js';
import type { ClaimedRun, ReleaseTo, Wish } from './engine.js';
import { lockQueue, placesOf } from './job-places.js';

const MOST_CRASHES = 5;

/**
 * Takes the first run that the worker may work on. The job and the row of the run change in one transaction, under the lock of
 * the queue: nobody who once had the job can raise the epoch, and no two take the same free place.
 */
export async function claimRun(
  fleet: Pick<Fleet, 'transaction' | 'jobs'>,
  worker: { readonly id: string; readonly labels: readonly string[] },
): Promise<ClaimedRun | undefined> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const found = await fleet.transaction(async (query) => {
      await lockQueue(query);
      const job = await fleet.jobs.take(query, await fleet.jobs.blockedGroups(query, worker.labels));
      return job && ((await openRun(query, worker.id, job)) ?? (await putAside(fleet, query, job)));
    });
    if (found !== 'put aside') return found;
  }
}

/** Undefined when nobody is to work on it. */
async function openRun(query: Query, worker: string, job: TakenJob): Promise<ClaimedRun | undefined> {
  const [row] = await query<ClaimedRow>(OPEN, [job.run, worker, MOST_CRASHES]);
  if (row === undefined) return undefined;
  const { batch, keyGroup, wish, ...run } = row;
  const optional = { batch: batch ?? undefined, keyGroup: keyGroup ?? undefined, wish: wish ?? undefined };
  return { ...run, ...optional, job, heartbeatMs: job.heartbeatMs, longestHoldMs: job.longestHoldMs };
}

interface ClaimedRow {
  readonly id: string;
  readonly epoch: number;
  readonly claim: string;
  readonly repository: string;
  readonly base: string;
  readonly labels: readonly string[];
  readonly batch: string | null;
  readonly keyGroup: string | null;
  readonly spec: unknown;
  readonly wish: Wish | null;
  readonly lastSeq: number;
  readonly crashes: number;
  readonly wasLeft: boolean;
}

/** A worker that neither let go of the run nor recorded anything of it has died with it. */
const OPEN = `
with before as (
  select id, was_left, case when was_left or epoch = 0
      or epoch = (select events.epoch from pawl.events where run = runs.id order by seq desc limit 1)
    then 0 else crashes + 1 end as crashes
  from pawl.runs where id = $1 and state <> 'ended' and wish is distinct from 'pause' for update
)
update pawl.runs set state = 'running', worker = $2, epoch = epoch + 1, claim = gen_random_uuid(), not_before = null,
  trouble = null, was_left = false, crashes = before.crashes, started_at = coalesce(started_at, now())
from before where runs.id = before.id and before.crashes < $3
returning runs.id, epoch, claim, repository, base, labels, batch, key_group as "keyGroup", spec, wish, last_seq as "lastSeq",
  runs.crashes, before.was_left as "wasLeft"`;

const GIVE_UP = `
update pawl.runs set state = 'ended', worker = null, claim = null, crashes = $2, ended_at = now(), outcome = $3::jsonb
where id = $1 and state <> 'ended' and wish is distinct from 'pause'`;

const CRASHED = {
  status: 'error',
  error: `${MOST_CRASHES} workers in a row died with it before they recorded anything`,
};

/** One that has ended, that is paused, that is gone, or whose workers die again and again. */
async function putAside(fleet: Pick<Fleet, 'jobs'>, query: Query, job: TakenJob): Promise<'put aside'> {
  await query(GIVE_UP, [job.run, MOST_CRASHES, JSON.stringify(CRASHED)]);
  const [place] = await placesOf(query, [job.run]);
  await (place === undefined ? fleet.jobs.finish(query, job) : fleet.jobs.handBack(query, job, place));
  return 'put aside';
}

/** Lets go of a run. False: another has taken it over, and nothing was changed. It can be asked again. */
export async function releaseRun(
  fleet: Pick<Fleet, 'transaction' | 'jobs'>,
  run: Pick<ClaimedRun, 'id' | 'epoch' | 'claim' | 'job'>,
  to: ReleaseTo,
): Promise<boolean> {
  const notBefore = to.state === 'waiting' ? (to.notBefore ?? null) : null;
  const trouble = to.state === 'ended' ? undefined : to.trouble;
  const outcome = to.state === 'ended' ? jsonFor(to.outcome) : null;
  const kept = trouble === undefined ? null : forPostgres(trouble);
  const isBroken = to.state === 'queued' && to.isBroken === true;
  return fleet.transaction(async (query) => {
    await lockQueue(query);
    // Whoever sends a command changes the row first: it was sent before this, and is seen below, or finds a run that waits.
    await query('select 1 from pawl.runs where id = $1 for update', [run.id]);
    const given = [run.id, run.epoch, to.state, notBefore, outcome, kept, run.claim, isBroken];
    if ((await query(RELEASE, given)).length === 0) return false;
    const [place] = await placesOf(query, [run.id]);
    await (place === undefined ? fleet.jobs.finish(query, run.job) : fleet.jobs.handBack(query, run.job, place));
    return true;
  });
}

const RELEASE = `
update pawl.runs set state = $3, worker = null, crashes = case when $8 then crashes else 0 end, was_left = not $8,
  outcome = $5::jsonb, trouble = $6, ended_at = case when $3 = 'ended' then now() end,
  not_before = case when $3 = 'waiting' and exists (select 1 from pawl.commands where run = $1 and taken_at is null)
    then now() else $4 end
where id = $1 and epoch = $2 and claim = $7::uuid and state in ('running', $3)
returning id`;

/** An agent may have said anything, and Postgres keeps neither a NUL nor half a character. */
function jsonFor(outcome: unknown): string {
  return JSON.stringify(outcome, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') : value,
  );
}
