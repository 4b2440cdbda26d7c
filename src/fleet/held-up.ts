import type { Query } from './database.js';
import { PLACES } from './fleet-queue.js';
import { withoutCredentials } from '../workspace/repository-name.js';

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
    union all select 'api_key', candidate.api_key, candidate.api_key
    union all select 'label', label, label from unnest(candidate.labels) label) wanted
  left join allowed own on own.kind = wanted.kind and own.key = wanted.key
  left join allowed common on common.kind = wanted.kind and common.key = '*'
  left join load on load.kind = wanted.kind and load.key = wanted.key
  where candidate.id = any($1) and wanted.key is not null and coalesce(load.runs, 0) >= coalesce(own.most, common.most)
  order by candidate.id, most, wanted.kind, wanted.key`;

const UNABLE = `select id, labels from pawl.runs
  where id = any($1) and labels <> '{}' and exists (select 1 from pawl.workers)
    and not exists (select 1 from pawl.workers where runs.labels <@ workers.labels)`;

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
