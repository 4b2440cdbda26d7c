import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../journal/second-home.js';
import { messageOf } from '../model/errors.js';
import { connectPostgres, databasePlace, type Database } from './connect-postgres.js';
import { type CopiedRows, copyRows, readCopiedRows } from './copied-rows.js';
import { mayPass } from './database-error.js';
import { type FleetRun, readFleetRuns } from './fleet-status.js';
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
  /** Of those that were asked for, the ones of which nothing is recorded. */
  readonly unbegun: readonly FleetRun[];
  readonly hasMoreUnbegun: boolean;
  /** The database does not answer: the folder has what was fetched before, and so have the rest. */
  readonly unreachable?: Error | undefined;
  /** When all was fetched the last time; undefined when it never was. */
  readonly fetchedAt?: string | undefined;
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
    // Before the records: a run that begins meanwhile is in both rather than in neither.
    const rows = runs === undefined ? await copyRows(database, folder) : undefined;
    const mirrored = await mirrorRecords(database, { folder, place, runs });
    const unbegun = rows === undefined ? await unbegunOf(database, mirrored) : rows.runs;
    const more = { hasMoreUnbegun: rows?.hasMore ?? false, fetchedAt: rows?.fetchedAt };
    return { folder, place, runs: mirrored, unbegun, ...more };
  } catch (error) {
    if (!(error instanceof Error) || !mayPass(error)) throw error;
    const rows: Partial<CopiedRows> = readCopiedRows(folder) ?? {};
    const { fetchedAt, runs: unbegun = [], hasMore: hasMoreUnbegun = false } = rows;
    return { folder, place, runs: [], unbegun, hasMoreUnbegun, unreachable: error, fetchedAt };
  } finally {
    await database?.close();
  }
}

async function unbegunOf({ query }: Database, looked: readonly MirroredRun[]): Promise<readonly FleetRun[]> {
  const ids = looked.flatMap(({ runId, events }) => (events === 0 ? [runId] : []));
  return ids.length === 0 ? [] : readFleetRuns(query, { ids });
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
