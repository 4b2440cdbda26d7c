import { ConfigError } from '../model/errors.js';
import type { Database } from './database.js';

/** Fewer characters fit by chance. */
const FEWEST_CHARACTERS = 4;

/** The run that is named by its id, or by the beginning or the end of it. Throws ConfigError. */
export async function findFleetRun({ query }: Pick<Database, 'query'>, reference: string): Promise<string> {
  const bare = reference.replace(/^[a-z]+_/, '').toUpperCase();
  if (!/^[0-9A-Z]{1,26}$/.test(bare)) throw noSuchRun(reference);
  if (bare.length < FEWEST_CHARACTERS) {
    throw refused(`${JSON.stringify(reference)} is too short: at least ${FEWEST_CHARACTERS} characters of the id`);
  }
  const found = await query<{ id: string }>(
    `select id from pawl.runs where id like '%' || $1 or id like '%\\_' || $1 || '%' order by position desc limit 3`,
    [bare],
  );
  const [first, second] = found;
  if (first === undefined) throw noSuchRun(reference);
  if (second === undefined) return first.id;
  throw refused(`${JSON.stringify(reference)} fits ${found.map(({ id }) => id).join(' and ')}: give more of the id`);
}

/** The runs of a batch, or all that have not ended. Throws ConfigError when there is no such batch. */
export async function fleetRunIds(
  { query }: Pick<Database, 'query'>,
  batch: string | undefined,
): Promise<readonly string[]> {
  if (batch !== undefined) await checkBatch({ query }, batch);
  const rows = await query<{ id: string }>(
    `select id from pawl.runs where state <> 'ended' and ($1::text is null or batch = $1) order by position`,
    [batch ?? null],
  );
  return rows.map(({ id }) => id);
}

export async function checkBatch({ query }: Pick<Database, 'query'>, batch: string): Promise<void> {
  const known = await query('select 1 from pawl.batches where id = $1', [batch]);
  if (known.length === 0) throw refused(`there is no batch ${JSON.stringify(batch)} in the fleet`);
}

function noSuchRun(reference: string): ConfigError {
  return refused(`there is no run ${JSON.stringify(reference)} in the fleet`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
