import type { Query } from '../database.js';
import type { JobPlace } from './boss.js';

/** Whoever hands out runs, takes them back or says what is wished of them holds this lock, so that no two count the same places as free. */
const QUEUE_LOCK = '7020903811406351977';
/** Of no repository, no key and no label: one that is cancelled starts no agent, so that it waits for no place. */
const ANY_WORKER = '[]';
/** Nobody waits so long: it is for a command. */
const NOT_UNTIL_TOLD = new Date('2200-01-01T00:00:00Z');

/** Resolves when nobody else hands out runs; it holds to the end of the transaction. */
export async function lockQueue(query: Query): Promise<void> {
  await query(`select pg_advisory_xact_lock(${QUEUE_LOCK})`);
}

interface PlacedRow {
  readonly run: string;
  readonly group: string;
  readonly state: string;
  readonly wish: string | null;
  readonly notBefore: Date | null;
  readonly wasLeft: boolean;
}

/** Where the jobs of these runs belong, by what their rows say; in the order of submission. */
export async function placesOf(query: Query, runs: readonly string[]): Promise<readonly JobPlace[]> {
  const rows = await query<PlacedRow>(
    `select id as run, state, wish, not_before as "notBefore", was_left as "wasLeft", jsonb_build_array(repository_key, key_group,
       (select coalesce(jsonb_agg(label order by label), '[]') from unnest(labels) label))::text as "group"
     from pawl.runs where id = any($1::text[]) and state <> 'ended' order by position`,
    [runs],
  );
  return rows.map(placeOf);
}

function placeOf({ run, group, state, wish, notBefore, wasLeft }: PlacedRow): JobPlace {
  if (wish === 'cancel') return { run, group: ANY_WORKER, priority: 2 };
  const priority = wasLeft ? 1 : 0;
  if (wish === 'pause') return { run, group, priority, startAfter: NOT_UNTIL_TOLD };
  if (state !== 'waiting') return { run, group, priority };
  return { run, group, priority, startAfter: notBefore ?? NOT_UNTIL_TOLD };
}
