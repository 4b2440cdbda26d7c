import type { Database } from './connect-postgres.js';
import { type CopiedRows, copyRows, readCopiedRows, readRows } from './copied-rows.js';
import type { FleetRun } from './fleet-status.js';
import { type FleetRecords, fetchRecords, recordsOf } from './keep-records.js';
import { mirrorRecords } from './mirror-records.js';
import { pollDatabase, type PollOptions } from './poll-database.js';

/** Clocks and commits are not exact. */
const MARGIN_MS = 60_000;
/** To read a thousand rows takes longer than to see what has changed. */
const ROWS_MS = 3000;

/** What is known of a fleet without asking anybody. */
export interface FleetGlance {
  /** The newest runs, those that nobody has begun among them. */
  readonly rows: readonly FleetRun[];
  /** Why it is not current. */
  readonly problem?: string | undefined;
}

export interface FollowedFleet extends FleetRecords {
  readonly glance: () => FleetGlance;
  /** Copies the record of a run that has ended, when somebody wants to see it. */
  readonly copy: (runId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Keeps the rows of the newest runs and the records of those that are live current, until it is closed. */
export function followFleet(url: string, options: PollOptions): FollowedFleet {
  const { environment, now } = options;
  const records = recordsOf(url, environment);
  const known = new Map<string, string>();
  let currentAtMs = now();
  let rows: CopiedRows | undefined;
  let isCopied = false;
  let nextRowsMs = 0;
  let problem: string | undefined;
  const look = async (database: Database, signal: AbortSignal) => {
    const startedMs = now();
    if (startedMs >= nextRowsMs) {
      rows = isCopied ? await readRows(database, startedMs) : await copyRows(database, records.folder, startedMs);
      isCopied = true;
      nextRowsMs = now() + ROWS_MS;
    }
    const endedWithinMs = Math.max(0, startedMs - currentAtMs) + MARGIN_MS;
    await mirrorRecords(database, { ...records, now, endedWithinMs, known, signal });
    currentAtMs = startedMs;
    problem = undefined;
  };
  const onProblem = (message: string) => {
    problem = message;
    rows ??= readCopiedRows(records.folder);
    nextRowsMs = 0;
    options.onProblem(message);
  };
  const close = pollDatabase(url, { ...options, onProblem }, look);
  return {
    ...records,
    glance: () => ({ rows: rows?.runs ?? [], problem }),
    copy: async (runId) => {
      const { unreachable } = await fetchRecords(url, options, [runId]);
      if (unreachable !== undefined) throw unreachable;
    },
    close,
  };
}
