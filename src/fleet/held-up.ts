import type { Query } from './database.js';
import { withoutCredentials } from '../workspace/repository-name.js';

/** Tables of a query: how many places of each kind are taken, and how many there are. */
const PLACES = `load as materialized (
    select 'repository' as kind, repository_key as key, count(*) as runs from pawl.runs where state = 'running'
    group by key
    union all
    select 'key_group', key_group, count(*) from pawl.runs where state = 'running' group by key_group
    union all
    select 'label', label, count(*) from pawl.runs, unnest(labels) label where state = 'running' group by label
  ), allowed as materialized (
    select kind, case kind when 'repository' then pawl.repository_key(key) else key end as key, min(most) as most
    from pawl.limits group by 1, 2
  )`;

interface QueuedRun {
  readonly id: string;
  readonly state: string;
  readonly wish?: string | undefined;
}

interface FullPlace {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly taken: number;
  readonly most: number;
}

/** Each limit that a run counts against and that is used up. */
const FULL = `with ${PLACES}
  select candidate.id, wanted.kind, wanted.shown as key, coalesce(load.runs, 0)::int as taken,
    coalesce(own.most, common.most) as most
  from pawl.runs candidate
  cross join lateral (select 'repository' as kind, candidate.repository_key as key, candidate.repository as shown
    union all select 'key_group', candidate.key_group, candidate.key_group
    union all select 'label', label, label from unnest(candidate.labels) label) wanted
  left join allowed own on own.kind = wanted.kind and own.key = wanted.key
  left join allowed common on common.kind = wanted.kind and common.key = '*'
  left join load on load.kind = wanted.kind and load.key = wanted.key
  where candidate.id = any($1) and wanted.key is not null and coalesce(load.runs, 0) >= coalesce(own.most, common.most)
  order by candidate.id, most, wanted.kind, wanted.key`;

/** A worker says every ten seconds that it lives. */
export const IS_THERE = `seen_at > now() - interval '45 seconds'`;

const UNABLE = `select id, labels from pawl.runs
  where id = any($1) and labels <> '{}' and exists (select 1 from pawl.workers where ${IS_THERE})
    and not exists (select 1 from pawl.workers where runs.labels <@ workers.labels and ${IS_THERE})`;

/** Why no worker takes those of the runs that are queued, by id: their limits are used up, or no worker has their labels. */
export async function readHeldUp(query: Query, runs: readonly QueuedRun[]): Promise<ReadonlyMap<string, string>> {
  const queued = runs.filter(({ state, wish }) => state === 'queued' && wish === undefined).map(({ id }) => id);
  if (queued.length === 0) return new Map();
  const unable = await query<{ id: string; labels: readonly string[] }>(UNABLE, [queued]);
  const full = await query<FullPlace>(FULL, [queued]);
  const held = new Map(unable.map(({ id, labels }) => [id, `no worker with ${labels.join(' ')}`]));
  for (const { id, kind, key, taken, most } of full) {
    const shown = kind === 'repository' ? withoutCredentials(key) : key;
    const place = `${taken} of ${most} places for ${kind} ${shown}`;
    const before = held.get(id);
    held.set(id, before === undefined ? `waits: ${place}` : `${before}; ${place}`);
  }
  return held;
}
