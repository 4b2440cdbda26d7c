import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../journal/second-home.js';
import { messageOf } from '../model/errors.js';
import { connectPostgres, databasePlace, type Database } from './connect-postgres.js';
import { mayPass } from './database-error.js';
import { makeMirrorFolder, type MirroredRun, mirrorRecords } from './mirror-records.js';
import { checkSchema } from './schema.js';

const POLL_MS = 1000;
/** Clocks and commits are not exact. */
const MARGIN_MS = 60_000;

export interface FleetRecords {
  /** To be looked at as a project is. */
  readonly folder: string;
  /** The URL of the database, without its password. */
  readonly place: string;
}

export interface FetchedRecords extends FleetRecords {
  readonly runs: readonly MirroredRun[];
  /** The database does not answer: the folder has what was fetched before. */
  readonly unreachable?: Error | undefined;
}

/** Copies the records of some runs, or of all. Throws ConfigError when the URL, the user or the database is wrong. */
export async function fetchRecords(
  url: string,
  environment: Environment,
  runs?: readonly string[],
): Promise<FetchedRecords> {
  const place = databasePlace(url);
  const folder = makeMirrorFolder(place, environment);
  let database: Database | undefined;
  try {
    database = await connectPostgres(url, { applicationName: 'pawl records' });
    await checkSchema(database);
    return { folder, place, runs: await mirrorRecords(database, { folder, place, runs }) };
  } catch (error) {
    if (!(error instanceof Error) || !mayPass(error)) throw error;
    return { folder, place, runs: [], unreachable: error };
  } finally {
    await database?.close();
  }
}

export interface KeepOptions {
  readonly environment: Environment;
  /** All runs unless given. */
  readonly runs?: readonly string[] | undefined;
  /** Told once when the records cannot be kept current, and again only after they could be. */
  readonly onProblem: (message: string) => void;
  readonly pollMs?: number | undefined;
}

export interface KeptRecords extends FleetRecords {
  readonly close: () => Promise<void>;
}

/** Keeps the copies current until they are closed; a database that goes away is waited for. */
export function keepRecords(url: string, options: KeepOptions): KeptRecords {
  const place = databasePlace(url);
  const folder = makeMirrorFolder(place, options.environment);
  const ended = new AbortController();
  const kept = keep(url, { folder, place }, options, ended.signal);
  return {
    folder,
    place,
    close: async () => {
      ended.abort();
      await kept;
    },
  };
}

async function keep(url: string, records: FleetRecords, options: KeepOptions, signal: AbortSignal): Promise<void> {
  const { runs, onProblem, pollMs = POLL_MS } = options;
  const known = new Map<string, string>();
  let database: Database | undefined;
  let currentAtMs: number | undefined;
  let isSaid = false;
  while (!signal.aborted) {
    const startedMs = Date.now();
    const endedWithinMs = currentAtMs === undefined ? undefined : Math.max(0, startedMs - currentAtMs) + MARGIN_MS;
    try {
      // oxlint-disable no-await-in-loop -- one look after the other
      if (database === undefined) {
        database = await connectPostgres(url, { applicationName: 'pawl records' });
        await checkSchema(database);
      }
      await mirrorRecords(database, { ...records, runs, endedWithinMs, known, signal });
      currentAtMs = startedMs;
      isSaid = false;
    } catch (error) {
      if (!isSaid) onProblem(messageOf(error));
      isSaid = true;
    }
    await pause(pollMs, undefined, { signal }).catch(() => undefined);
    // oxlint-enable no-await-in-loop
  }
  await database?.close();
}
