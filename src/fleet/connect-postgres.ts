import type { default as pgModule, Pool, PoolClient, PoolConfig } from 'pg';
import { ConfigError, InvalidState, messageOf } from '../model/errors.js';
import type { Database, Query } from './database.js';
import { databaseErrorInWords, isConnectionLost } from './database-error.js';
import { postgresTls } from './postgres-tls.js';

export type { Database } from './database.js';
export { isConnectionLost } from './database-error.js';

const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 30_000;
const CLOSE_WITHIN_MS = 5000;
/** A worker that is stopped inside of a transaction holds up all others for so long. */
const IDLE_IN_TRANSACTION_MS = 5000;
const USUAL_CONNECTIONS = 2;
/** The oldest that is still maintained. */
const OLDEST_VERSION = 14;
/** Not as a setting of the connection, which a pooler between may refuse or give to somebody else. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

type PgModule = typeof pgModule;

export interface ConnectOptions {
  readonly applicationName?: string | undefined;
  /** How long it may take to connect, and to answer each question, for who cannot wait. */
  readonly withinMs?: number | undefined;
  /** How many connections at most; 2 unless told. */
  readonly connections?: number | undefined;
}

/** Throws ConfigError when the URL, the user or the database is wrong, DatabaseUnreachable when nobody answers. */
export async function connectPostgres(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
  { applicationName = 'pawl', withinMs, connections = USUAL_CONNECTIONS }: ConnectOptions = {},
): Promise<Database> {
  const place = databasePlace(url);
  const pg = await loadPg();
  const { connectionString, ssl } = postgresTls(url.trim(), environment);
  const config: PoolConfig = {
    connectionString,
    max: connections,
    query_timeout: withinMs ?? ANSWER_WITHIN_MS,
    ...(ssl === undefined ? {} : { ssl }),
    application_name: applicationName,
    connectionTimeoutMillis: withinMs ?? CONNECT_WITHIN_MS,
    keepAlive: true,
  };
  const database = openDatabase(pg, place, config);
  try {
    await checkVersion(database.query, place);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function loadPg(): Promise<PgModule> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const way = 'npm install pg where pawl is installed; npm install -g pg when that is globally';
    const message = isMissing ? `the fleet needs the package pg: ${way}` : `pg: ${messageOf(error)}`;
    throw new ConfigError([{ path: '', message }]);
  }
}

/** The URL without anything that could be secret. */
export function databasePlace(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    const message = 'the URL of the database must be like postgres://user:password@host:5432/database';
    throw new ConfigError([{ path: '', message }]);
  }
  const { protocol, username, host, pathname } = parsed;
  return `${protocol}//${username === '' ? '' : `${username}@`}${host || (parsed.searchParams.get('host') ?? '')}${pathname}`;
}

async function checkVersion(query: Query, place: string): Promise<void> {
  const [row] = await query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  const version = Math.trunc((row?.version ?? 0) / 10_000);
  if (version >= OLDEST_VERSION) return;
  const message = `the database ${place} is Postgres ${version}, and a fleet needs ${OLDEST_VERSION} or newer`;
  throw new ConfigError([{ path: '', message }]);
}

function openDatabase(pg: PgModule, place: string, config: PoolConfig): Database {
  const inWords = (error: unknown): unknown => databaseErrorInWords(error, place);
  const pool = openPool(pg, config);
  let closing: Promise<void> | undefined;
  const checkOpen = (): void => {
    if (closing !== undefined) throw new InvalidState('closed', 'use', 'the connection to the database is closed');
  };
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = [], withinMs?: number) {
      checkOpen();
      try {
        return (await pool.query<Row>(statement(text, values, withinMs))).rows;
      } catch (error) {
        throw inWords(error);
      }
    },
    async transaction(work) {
      checkOpen();
      try {
        return await inTransaction(await pool.connect(), work);
      } catch (error) {
        throw inWords(error);
      }
    },
    close() {
      closing ??= closeInTime(pool);
      return closing;
    },
  };
}

/** `pg` takes a time for a single statement, which its types leave out. */
function statement(text: string, values: readonly unknown[], withinMs: number | undefined) {
  return { text, values: [...values], ...(withinMs === undefined ? {} : { query_timeout: withinMs }) };
}

function openPool(pg: PgModule, config: PoolConfig): Pool {
  try {
    // A pool reads the URL only when it connects; here it is known whose mistake it is.
    const { port } = new pg.Client(config);
    if (!(port > 0 && port < 65_536)) throw new Error('there is no such port');
    const pool = new pg.Pool(config);
    // A connection that is lost while nobody uses it is made anew when it is needed.
    pool.on('error', () => {});
    // One that is lost between two statements, or in the moment in which it is handed out, would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
    return pool;
  } catch (error) {
    throw new ConfigError([{ path: '', message: `the URL of the database cannot be used: ${messageOf(error)}` }]);
  }
}

async function inTransaction<T>(client: PoolClient, work: (query: Query) => Promise<T>): Promise<T> {
  let broken: Error | undefined;
  try {
    await client.query(BEGIN);
    const result = await work(
      async <Row extends object>(text: string, values: readonly unknown[] = [], withinMs?: number) =>
        (await client.query<Row>(statement(text, values, withinMs))).rows,
    );
    await client.query('commit');
    return result;
  } catch (error) {
    broken = await rollBack(client, error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Returns why the connection cannot be used again, if it cannot. */
async function rollBack(client: PoolClient, error: unknown): Promise<Error | undefined> {
  if (error instanceof Error && isConnectionLost(error)) return error;
  try {
    await client.query('rollback');
    return undefined;
  } catch (second) {
    return second instanceof Error ? second : new Error(messageOf(second));
  }
}

async function closeInTime(pool: Pool): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    late = setTimeout(resolve, CLOSE_WITHIN_MS);
  });
  await Promise.race([pool.end().catch(() => undefined), tooLate]);
  clearTimeout(late);
}
