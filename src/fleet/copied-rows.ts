import { join } from 'node:path';
import { NODE_DISK, onDisk, readWholeFile, removeFile, writeNewFile } from '../journal/disk.js';
import { isRunId } from '../journal/run-places.js';
import type { Database } from './database.js';
import { type FleetRun, readFleetRuns } from './fleet-status.js';
import { withoutCredentials } from '../workspace/repository-name.js';

const ROWS_NAME = 'rows.json';
const MOST_ROWS = 1000;
const LIMIT_BYTES = 16 * 1024 * 1024;

/** The newest runs of a fleet as they were when their rows were copied: of their records nothing is needed for a list. */
export interface CopiedRows {
  readonly fetchedAt: string;
  readonly runs: readonly FleetRun[];
  /** There are more than are kept here. */
  readonly hasMore: boolean;
}

export async function readRows({ query }: Pick<Database, 'query'>, nowMs: number): Promise<CopiedRows> {
  const fetchedAt = new Date(nowMs).toISOString();
  const found = await readFleetRuns(query, { limit: MOST_ROWS + 1 });
  const known = found.filter(({ id }) => isRunId(id)).slice(0, MOST_ROWS);
  const runs = known.map((run) => ({ ...run, repository: withoutCredentials(run.repository) }));
  return { fetchedAt, runs, hasMore: found.length > MOST_ROWS };
}

/** Keeps them beside the records, for when the database is away. */
export async function copyRows(database: Pick<Database, 'query'>, folder: string, nowMs: number): Promise<CopiedRows> {
  const rows = await readRows(database, nowMs);
  const path = join(folder, ROWS_NAME);
  const draft = `${path}.new-${process.pid}`;
  onDisk('write', path, () => {
    removeFile(NODE_DISK, draft);
    writeNewFile(NODE_DISK, draft, Buffer.from(`${JSON.stringify(rows)}\n`));
    NODE_DISK.renameSync(draft, path);
  });
  return rows;
}

/** Undefined when nothing was ever copied, or it is damaged. */
export function readCopiedRows(folder: string): CopiedRows | undefined {
  try {
    const bytes = readWholeFile(NODE_DISK, join(folder, ROWS_NAME), LIMIT_BYTES);
    const value: unknown = bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    return isRows(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRows(value: unknown): value is CopiedRows {
  if (typeof value !== 'object' || value === null) return false;
  const { fetchedAt, runs, hasMore } = value as Partial<Record<keyof CopiedRows, unknown>>;
  return typeof fetchedAt === 'string' && typeof hasMore === 'boolean' && Array.isArray(runs) && runs.every(isRow);
}

function isRow(value: unknown): value is FleetRun {
  if (typeof value !== 'object' || value === null) return false;
  const { id, state, createdAt, repository, labels } = value as Partial<Record<keyof FleetRun, unknown>>;
  return (
    typeof id === 'string' &&
    isRunId(id) &&
    [state, createdAt, repository].every((text) => typeof text === 'string') &&
    Array.isArray(labels)
  );
}
