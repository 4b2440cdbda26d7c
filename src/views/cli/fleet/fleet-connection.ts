import { connectPostgres, type Database } from '../../../fleet/connect-postgres.js';
import { DatabaseUnreachable } from '../../../fleet/database-error.js';
import { checkNode, type JobsOptions } from '../../../fleet/engine/boss.js';
import { type Fleet, openFleet } from '../../../fleet/open-fleet.js';
import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import { printable } from '../../../words/printable.js';
import type { CommandContext } from '../command-context.js';
import type { Environment } from '../../../journal/run-places.js';

/** Names the database, so that its password stands in no list of processes. */
export const POSTGRES_VARIABLE = 'PAWL_POSTGRES';

export interface FleetOptions {
  readonly postgres?: string;
}

/** Does something with the database of the fleet, whose tables are there, and lets go of it. */
export async function withFleet(
  options: FleetOptions,
  context: CommandContext,
  work: (fleet: Fleet) => Promise<ExitCode>,
  jobs: JobsOptions & { readonly connections?: number } = {},
): Promise<ExitCode> {
  const open = async (database: Database) => {
    const fleet = await openFleet(database, jobs);
    try {
      return await work(fleet);
    } finally {
      await fleet.close();
    }
  };
  return withDatabase(options, context, open, jobs.connections);
}

/** The same, whatever is in the database. */
export async function withDatabase(
  options: FleetOptions,
  context: CommandContext,
  work: (database: Database) => Promise<ExitCode>,
  connections?: number,
): Promise<ExitCode> {
  checkNode();
  const url = databaseUrl(options, context.environment);
  try {
    const database = await connectPostgres(url, context.environment, { connections });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseUnreachable)) throw error;
    context.terminal.note(`pawl: ${printable(error.message)}`);
    return error.exitCode;
  }
}

/** Throws ConfigError when nobody has named the database. */
export function databaseUrl({ postgres }: FleetOptions, environment: Environment): string {
  const url = postgres ?? environment[POSTGRES_VARIABLE] ?? '';
  if (url !== '') return url;
  const message = `no database: give --postgres postgres://user@host/database, or set ${POSTGRES_VARIABLE}`;
  throw new ConfigError([{ path: '', message }]);
}
