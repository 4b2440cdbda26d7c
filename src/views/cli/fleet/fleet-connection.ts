import { connectPostgres, type Database } from '../../../fleet/connect-postgres.js';
import { DatabaseUnreachable } from '../../../fleet/database-error.js';
import { checkSchema } from '../../../fleet/schema.js';
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
  work: (database: Database) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDatabase(options, context, async (database) => {
    await checkSchema(database);
    return work(database);
  });
}

/** The same, whatever is in the database. */
export async function withDatabase(
  options: FleetOptions,
  context: CommandContext,
  work: (database: Database) => Promise<ExitCode>,
): Promise<ExitCode> {
  const url = databaseUrl(options, context.environment);
  try {
    const database = await connectPostgres(url, context.environment);
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
