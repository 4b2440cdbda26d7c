import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../model/errors.js';
import { connectPostgres, type Database } from './connect-postgres.js';
import { checkSchema } from './schema.js';

const POLL_MS = 1000;

export interface PollOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  /** Told once when nothing can be read, and again only after it could be. */
  readonly onProblem: (message: string) => void;
  readonly pollMs?: number | undefined;
}

/** Looks again and again, also after the database was away. Returns what ends it. */
export function pollDatabase(
  url: string,
  options: PollOptions,
  look: (database: Database, signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const ended = new AbortController();
  const polled = poll(url, options, look, ended.signal);
  return async () => {
    ended.abort();
    await polled;
  };
}

async function poll(
  url: string,
  { environment, onProblem, pollMs = POLL_MS }: PollOptions,
  look: (database: Database, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let database: Database | undefined;
  let isSaid = false;
  while (!signal.aborted) {
    try {
      // oxlint-disable no-await-in-loop -- one look after the other
      if (database === undefined) {
        database = await connectPostgres(url, environment, { applicationName: 'pawl records' });
        await checkSchema(database);
      }
      await look(database, signal);
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
