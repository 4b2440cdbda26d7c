import type { Database, Query } from './database.js';
import { forPostgres } from './run-trouble.js';

/** Whoever hands out runs or takes them back holds this lock of the database, so that no two count the same places as free. */
const QUEUE_LOCK = '7020903811406351977';

/** What somebody wishes of a run, whoever works on it. */
export type Wish = 'pause' | 'cancel';

/** A run that a worker may work on for as long as the epoch is its last one. */
export interface ClaimedRun {
  readonly id: string;
  readonly epoch: number;
  /** Random, of this one claim. */
  readonly claim: string;
  readonly repository: string;
  readonly base: string;
  readonly labels: readonly string[];
  readonly batch?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly spec: unknown;
  /** `cancel`: nothing is left to do but to end it. */
  readonly wish?: Wish | undefined;
  /** The last event that is recorded; 0 when it was never worked on. */
  readonly lastSeq: number;
  /** Its last worker has let go of it; otherwise it died with it, or there was none. */
  readonly wasLeft: boolean;
  /** How many workers in a row died with it without recording anything. */
  readonly crashes: number;
}

/** Where a run goes when its worker lets go of it. */
export type ReleaseTo =
  | { readonly state: 'queued'; readonly trouble?: string | undefined }
  /** Without a time it waits until a command comes for it. */
  | { readonly state: 'waiting'; readonly notBefore?: Date | undefined; readonly trouble?: string | undefined }
  | { readonly state: 'ended'; readonly outcome: object };

/** Resolves when nobody else hands out runs; it holds to the end of the transaction. */
export async function lockQueue(query: Query): Promise<void> {
  await query(`select pg_advisory_xact_lock(${QUEUE_LOCK})`);
}

/**
 * Takes the first run that the worker may work on, in the order of submission. A worker that is not known (any more) gets
 * nothing: nobody would notice its death.
 */
export async function claimRun(
  database: Database,
  worker: { readonly id: string; readonly labels: readonly string[] },
): Promise<ClaimedRun | undefined> {
  return database.transaction(async (query) => {
    await lockQueue(query);
    const known = await query('select 1 from pawl.workers where id = $1 for key share', [worker.id]);
    if (known.length === 0) return undefined;
    const [row] = await query<ClaimedRow>(CLAIM, [worker.id, worker.labels]);
    return row === undefined ? undefined : claimedRun(row);
  });
}

interface ClaimedRow {
  readonly id: string;
  readonly epoch: number;
  readonly claim: string;
  readonly repository: string;
  readonly base: string;
  readonly labels: readonly string[];
  readonly batch: string | null;
  readonly api_key: string | null;
  readonly spec: unknown;
  readonly wish: Wish | null;
  readonly last_seq: number;
  readonly crashes: number;
  readonly was_left: boolean;
}

function claimedRun(row: ClaimedRow): ClaimedRun {
  const { id, epoch, claim, repository, base, labels, spec, crashes } = row;
  const optional = { batch: row.batch ?? undefined, apiKey: row.api_key ?? undefined, wish: row.wish ?? undefined };
  return {
    id,
    epoch,
    claim,
    repository,
    base,
    labels,
    spec,
    crashes,
    lastSeq: row.last_seq,
    wasLeft: row.was_left,
    ...optional,
  };
}

/** What a run counts against: its repository, its API key and each of its labels; `*` is the limit of those without one. */
const HAS_ROOM = `not exists (
  select 1
  from (select 'repository' as kind, candidate.repository_key as key
        union all select 'api_key', candidate.api_key
        union all select 'label', unnest(candidate.labels)) wanted
  left join allowed own on own.kind = wanted.kind and own.key = wanted.key
  left join allowed common on common.kind = wanted.kind and common.key = '*'
  left join load on load.kind = wanted.kind and load.key = wanted.key
  where wanted.key is not null and coalesce(load.runs, 0) >= coalesce(own.most, common.most))`;

/** A cancelled run waits for no place and no label: it starts no agent. Each is looked for by itself, so that the index gives its order. */
function firstOf(state: 'queued' | 'waiting', isDue: string): string {
  return `(select id, position from pawl.runs candidate
    where state = '${state}'
      and (wish = 'cancel' or (wish is null and labels <@ $2::text[] and ${isDue} and ${HAS_ROOM}))
    order by position limit 1)`;
}

/** Tables of a query: how many places of each kind are taken, and how many there are. */
export const PLACES = `load as materialized (
    select 'repository' as kind, repository_key as key, count(*) as runs from pawl.runs where state = 'running'
    group by key
    union all
    select 'api_key', api_key, count(*) from pawl.runs where state = 'running' group by api_key
    union all
    select 'label', label, count(*) from pawl.runs, unnest(labels) label where state = 'running' group by label
  ), allowed as materialized (
    select kind, case kind when 'repository' then pawl.repository_key(key) else key end as key, min(most) as most
    from pawl.limits group by 1, 2
  )`;

const CLAIM = `
  with ${PLACES}, first as (
    select id from (${firstOf('queued', 'true')} union all ${firstOf('waiting', 'not_before <= now()')}) either
    order by position limit 1
  )
  update pawl.runs set state = 'running', worker = $1, epoch = epoch + 1, claim = gen_random_uuid(), not_before = null,
    trouble = null, started_at = coalesce(started_at, now())
  where id = (select id from first)
  returning id, epoch, claim, repository, base, labels, batch, api_key, spec, wish, last_seq, crashes, was_left`;

/** Lets go of a run. False: another has taken it over, and nothing was changed. It can be asked again. */
export async function releaseRun(
  database: Database,
  run: { readonly id: string; readonly epoch: number; readonly claim: string },
  to: ReleaseTo,
): Promise<boolean> {
  const notBefore = to.state === 'waiting' ? (to.notBefore ?? null) : null;
  const trouble = to.state === 'ended' ? undefined : to.trouble;
  const outcome = to.state === 'ended' ? jsonFor(to.outcome ?? null) : null;
  const kept = trouble === undefined ? null : forPostgres(trouble);
  const given = [run.id, run.epoch, to.state, notBefore, outcome, kept, run.claim];
  return database.transaction(async (query) => {
    // Whoever sends a command changes the row first: it was sent before this, and is seen below, or finds a run that waits.
    await query('select 1 from pawl.runs where id = $1 for update', [run.id]);
    const [row] = await query(RELEASE, given);
    return row !== undefined;
  });
}

const RELEASE = `
with released as (
  update pawl.runs set state = $3, worker = null, crashes = 0, was_left = true, outcome = $5::jsonb,
    trouble = $6, ended_at = case when $3 = 'ended' then now() end,
    not_before = case when $3 = 'waiting' and exists (select 1 from pawl.commands where run = $1 and taken_at is null)
      then now() else $4 end
  where id = $1 and epoch = $2 and claim = $7::uuid and state in ('running', $3)
  returning id)
select pg_notify('pawl_queue', '') from released`;

/**
 * Puts those runs of a worker back into the queue that it does not know to have: the answer to its claim was lost, or it
 * could record nothing more of them. Returns which.
 */
export async function returnUnknown(
  database: Database,
  worker: string,
  known: readonly string[],
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(
    `update pawl.runs set state = 'queued', worker = null, epoch = epoch + 1, claim = null, was_left = false, trouble = null
     where worker = $1 and state = 'running' and id <> all($2::text[]) returning id`,
    [worker, known],
  );
  return rows.map(({ id }) => id);
}

/** An agent may have said anything, and Postgres keeps neither a NUL nor half a character. */
function jsonFor(outcome: unknown): string {
  return JSON.stringify(outcome, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') : value,
  );
}
