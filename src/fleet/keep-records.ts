import type { Environment } from '../journal/run-places.js';
import { connectPostgres, databasePlace, type Database } from './connect-postgres.js';
import { copyRows, readCopiedRows } from './copied-rows.js';
import { mayPass } from './database-error.js';
import { type FleetRun, readFleetRuns } from './fleet-status.js';
import { makeMirrorFolder, type MirroredRun, mirrorRecords } from './mirror-records.js';
import { pollDatabase, type PollOptions } from './poll-database.js';
import { checkSchema } from './schema.js';

export interface FleetRecords {
  /** To be looked at as a project is. */
  readonly folder: string;
  /** The URL of the database, without its password. */
  readonly place: string;
}

export interface FetchedRecords extends FleetRecords {
  /** Of those that were asked for, the ones of which nothing is recorded. */
  readonly unbegun: readonly FleetRun[];
  /** The database does not answer: the folder has what was fetched before, and so have the rest. */
  readonly unreachable?: Error | undefined;
  /** When the rows were fetched that are shown instead; undefined when they never were. */
  readonly fetchedAt?: string | undefined;
}

/** Whose settings count, and whose clock. */
type Looker = Pick<PollOptions, 'environment' | 'now'>;

/** Copies the records of some runs, or of the newest. Throws ConfigError when the URL, the user or the database is wrong. */
export async function fetchRecords(
  url: string,
  { environment, now }: Looker,
  runs?: readonly string[],
): Promise<FetchedRecords> {
  const records = recordsOf(url, environment);
  const { rows, unreachable } = await ask(url, environment, async (database) => {
    const mirrored = await mirrorRecords(database, { ...records, now, runs });
    return runs === undefined ? [] : unbegunOf(database, mirrored);
  });
  if (rows !== undefined) return { ...records, unbegun: rows };
  const copied = readCopiedRows(records.folder);
  const unbegun = (copied?.runs ?? []).filter(({ lastSeq }) => lastSeq === 0);
  return { ...records, unbegun, unreachable, fetchedAt: copied?.fetchedAt };
}

export interface FetchedRows extends FleetRecords {
  /** The newest first. */
  readonly runs: readonly FleetRun[];
  readonly hasMore: boolean;
  readonly unreachable?: Error | undefined;
  readonly fetchedAt?: string | undefined;
}

/** The newest runs without their records, for a list; those of the last time when the database does not answer. */
export async function fetchRows(url: string, { environment, now }: Looker): Promise<FetchedRows> {
  const records = recordsOf(url, environment);
  const { rows, unreachable } = await ask(url, environment, (database) => copyRows(database, records.folder, now()));
  const copied = rows ?? readCopiedRows(records.folder);
  return { ...records, runs: [], hasMore: false, ...copied, unreachable };
}

/** Where the copies of a fleet are. */
export function recordsOf(url: string, environment: Environment): FleetRecords {
  const place = databasePlace(url);
  return { folder: makeMirrorFolder(place, environment), place };
}

async function ask<T>(
  url: string,
  environment: Environment,
  look: (database: Database) => Promise<T>,
): Promise<{ readonly rows?: T; readonly unreachable?: Error }> {
  let database: Database | undefined;
  try {
    database = await connectPostgres(url, environment, { applicationName: 'pawl records' });
    await checkSchema(database);
    return { rows: await look(database) };
  } catch (error) {
    if (!(error instanceof Error) || !mayPass(error)) throw error;
    return { unreachable: error };
  } finally {
    await database?.close();
  }
}

async function unbegunOf({ query }: Database, looked: readonly MirroredRun[]): Promise<readonly FleetRun[]> {
  const ids = looked.flatMap(({ runId, events }) => (events === 0 ? [runId] : []));
  return ids.length === 0 ? [] : readFleetRuns(query, { ids });
}

export interface KeepOptions extends PollOptions {
  readonly runs: readonly string[];
}

export interface KeptRecords extends FleetRecords {
  readonly close: () => Promise<void>;
}

/** Keeps the copies of some runs current until they are closed; a database that goes away is waited for. */
export function keepRecords(url: string, options: KeepOptions): KeptRecords {
  const records = recordsOf(url, options.environment);
  const known = new Map<string, string>();
  const look = async (database: Database, signal: AbortSignal) => {
    await mirrorRecords(database, { ...records, now: options.now, runs: options.runs, known, signal });
  };
  return { ...records, close: pollDatabase(url, options, look) };
}
