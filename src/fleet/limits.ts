import type { Database } from './database.js';

export const LIMIT_KINDS = ['repository', 'key_group', 'label'] as const;

/** How many runs with the same key may be worked on at a time; the key `*` is for all that have none of their own. */
export interface FleetLimit {
  readonly kind: (typeof LIMIT_KINDS)[number];
  readonly key: string;
  readonly most: number;
}

export async function readLimits({ query }: Pick<Database, 'query'>): Promise<readonly FleetLimit[]> {
  return query<FleetLimit>('select kind, key, most from pawl.limits order by kind, key');
}

/** As what a key counts: a repository may be spelled in several ways. */
const SAME_KEY = `case kind when 'repository' then pawl.repository_key(key) = pawl.repository_key($2) else key = $2 end`;

/** In place of one for the same repository in another spelling, too. */
export async function setLimit({ query }: Pick<Database, 'query'>, { kind, key, most }: FleetLimit): Promise<void> {
  await query(
    `with other as (delete from pawl.limits where kind = $1 and key <> $2 and ${SAME_KEY})
     insert into pawl.limits (kind, key, most) values ($1, $2, $3)
     on conflict (kind, key) do update set most = excluded.most`,
    [kind, key, most],
  );
}

/** False when there was none. */
export async function removeLimit(
  { query }: Pick<Database, 'query'>,
  { kind, key }: Pick<FleetLimit, 'kind' | 'key'>,
): Promise<boolean> {
  const removed = await query(`delete from pawl.limits where kind = $1 and ${SAME_KEY} returning key`, [kind, key]);
  return removed.length > 0;
}
