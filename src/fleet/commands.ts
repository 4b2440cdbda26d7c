import { ConfigError, InvalidState } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { parseCommand } from '../run/control-request.js';
import type { Database } from './database.js';
import type { Wish } from './fleet-queue.js';

export interface SentCommand {
  readonly id: string;
  readonly command: LoopCommand;
  /** Who asks, for the record. */
  readonly by: string;
}

/** Leaves a command for whoever works on the run; one that waits is woken by it. Throws ConfigError or InvalidState. */
export async function sendCommand(database: Database, run: string, command: LoopCommand, by: string): Promise<void> {
  const sent = await database.query(
    `with live as (
       update pawl.runs set not_before = case when state = 'waiting' then now() else not_before end
       where id = $1 and state <> 'ended' returning id
     ), sent as (
       insert into pawl.commands (run, command, by) select id, $2::jsonb, $3 from live returning run
     )
     select pg_notify('pawl_commands', run), pg_notify('pawl_queue', '') from sent`,
    [run, JSON.stringify(parseCommand(command)), by],
  );
  if (sent.length > 0) return;
  const known = await database.query('select 1 from pawl.runs where id = $1', [run]);
  if (known.length === 0) throw new ConfigError([{ path: '', message: `there is no run ${run} in the fleet` }]);
  throw new InvalidState('ended', command.type);
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

/**
 * Says what is to become of runs, whether somebody works on them or not; `null` takes a pause back. A run that is to be
 * cancelled stays so. Returns those that it was said of: the others have ended, or are not there.
 */
export async function wishFor(
  database: Database,
  runs: readonly string[],
  wish: Wish | null,
): Promise<readonly string[]> {
  const changed = await database.query<{ id: string }>(
    `with wished as (
       update pawl.runs set wish = $2
       where id = any($1::text[]) and state <> 'ended' and (wish is distinct from 'cancel' or $2 = 'cancel') returning id
     )
     select id, pg_notify('pawl_commands', id), pg_notify('pawl_queue', '') from wished`,
    [runs, wish],
  );
  return changed.map(({ id }) => id);
}
