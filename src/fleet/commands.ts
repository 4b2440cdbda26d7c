import { ConfigError, InvalidState } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { parseCommand } from '../run/control-request.js';
import type { Database } from './database.js';
import type { SentCommand, Wish } from './engine/engine.js';
import { lockQueue, placesOf } from './engine/job-places.js';
import type { Fleet } from './open-fleet.js';

/** Leaves a command for whoever works on the run; one that waits is woken by it. Throws ConfigError or InvalidState. */
export async function sendCommand(
  fleet: Pick<Fleet, 'transaction' | 'jobs'>,
  run: string,
  command: LoopCommand,
  by: string,
): Promise<void> {
  const text = JSON.stringify(parseCommand(command));
  await fleet.transaction(async (query) => {
    await lockQueue(query);
    const [live] = await query<{ state: string }>(
      `update pawl.runs set not_before = case when state = 'waiting' then now() else not_before end
       where id = $1 and state <> 'ended' returning state`,
      [run],
    );
    if (live === undefined) {
      const known = await query('select 1 from pawl.runs where id = $1', [run]);
      if (known.length === 0) throw new ConfigError([{ path: '', message: `there is no run ${run} in the fleet` }]);
      throw new InvalidState('ended', command.type);
    }
    await query('insert into pawl.commands (run, command, by) values ($1, $2::jsonb, $3)', [run, text, by]);
    if (live.state !== 'waiting') return;
    for (const place of await placesOf(query, [run])) await fleet.jobs.move(query, place);
  });
}

/** The commands that no record tells of yet, in their order; none for a worker that the run was taken from. */
export async function waitingCommands(database: Database, run: string, epoch: number): Promise<readonly SentCommand[]> {
  return database.query<SentCommand>(
    `select commands.id, command, by from pawl.commands join pawl.runs on runs.id = commands.run
     where run = $1 and epoch = $2 and state = 'running' and taken_at is null order by commands.id`,
    [run, epoch],
  );
}

/** Says that they are recorded: until then whoever takes the run over gets them, too. */
export async function commandsRecorded(database: Database, ids: readonly string[]): Promise<void> {
  await database.query('update pawl.commands set taken_at = now() where id = any($1::bigint[])', [ids]);
}

/** What is wished of a run; undefined when nothing is, or it is not there. */
export async function wishOf({ query }: Pick<Database, 'query'>, run: string): Promise<Wish | undefined> {
  const [row] = await query<{ wish: Wish | null }>('select wish from pawl.runs where id = $1', [run]);
  return row?.wish ?? undefined;
}

/** Those of the runs for which a command waits, or of which something is wished. */
export async function toldRuns(
  { query }: Pick<Database, 'query'>,
  runs: readonly string[],
): Promise<readonly string[]> {
  if (runs.length === 0) return [];
  const rows = await query<{ id: string }>(
    `select id from pawl.runs where id = any($1::text[]) and (wish is not null
       or exists (select 1 from pawl.commands where run = runs.id and taken_at is null))`,
    [runs],
  );
  return rows.map(({ id }) => id);
}

/**
 * Says what is to become of runs, whether somebody works on them or not; `null` takes a pause back. A run that is to be
 * cancelled stays so. Returns those that it was said of: the others have ended, or are not there.
 */
export async function wishFor(
  fleet: Pick<Fleet, 'transaction' | 'jobs'>,
  runs: readonly string[],
  wish: Wish | null,
): Promise<readonly string[]> {
  return fleet.transaction(async (query) => {
    await lockQueue(query);
    const changed = await query<{ id: string; state: string }>(
      `update pawl.runs set wish = $2
       where id = any($1::text[]) and state <> 'ended' and (wish is distinct from 'cancel' or $2 = 'cancel')
       returning id, state`,
      [runs, wish],
    );
    const idle = changed.filter(({ state }) => state !== 'running').map(({ id }) => id);
    for (const place of await placesOf(query, idle)) await fleet.jobs.move(query, place);
    return changed.map(({ id }) => id);
  });
}
