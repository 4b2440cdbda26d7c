import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { NODE_DISK, onDisk, removeFile, statOf, writeNewFile, makeFolder } from '../journal/disk.js';
import {
  COPY_MARK_NAME,
  holdersElsewhere,
  type CopyMark,
  copiesPlace,
  readCopyMark,
} from '../journal/copied-record.js';
import { isRunId, JOURNAL_NAME, type Environment } from '../journal/run-places.js';
import type { Database, Query } from './database.js';
import { mirrorJournal, PAGE_LINES } from './mirrored-journal.js';
import type { RunOutcome } from './run-outcome.js';
import type { EventLine } from './send-events.js';

/** What begins alike is told apart by whoever looks. */
const MOST_OF_ONE = 6;
/** Each gets a folder and a file. */
const MOST_RUNS = 1000;
/** The mark is read at every look. */
const MOST_ERROR_CHARACTERS = 2000;

export interface MirrorOptions {
  /** Gets the records as a project has its own, in `.ralph/runs`. It must exist. */
  readonly folder: string;
  /** The URL of the database, without its password. */
  readonly place: string;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  /** Ids, beginnings of them with or without their kind, or ends. The newest unless given. */
  readonly runs?: readonly string[] | undefined;
  /** Only those that have not ended, or whose copy does not know of it, or that ended within this time. */
  readonly endedWithinMs?: number | undefined;
  /** For whoever calls again: what was copied already, by run. */
  readonly known?: Map<string, string> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface MirroredRun {
  readonly runId: string;
  readonly state: CopyMark['state'];
  /** Lines that the copy has; 0 for a run that no worker has begun: it has no file. */
  readonly events: number;
}

interface RunRow {
  readonly id: string;
  readonly state: CopyMark['state'];
  readonly epoch: number;
  readonly lastSeq: number;
  readonly since: string;
  readonly wish: string | null;
  readonly outcome: Partial<RunOutcome> | null;
  readonly worker: string | null;
  readonly host: string | null;
  readonly pid: number | null;
}

/** The folder for the records of one database; it is made when it is missing. */
export function makeMirrorFolder(place: string, environment: Environment): string {
  const name = createHash('sha256').update(place).digest('hex').slice(0, 16);
  return makeFolder(NODE_DISK, copiesPlace(name, environment), 'refuse');
}

/** Copies the records of runs into files, of which only what is new is read. Returns the runs that were looked at. */
export async function mirrorRecords(database: Database, options: MirrorOptions): Promise<readonly MirroredRun[]> {
  const { known, signal } = options;
  const mirrored: MirroredRun[] = [];
  for (const row of await readRows(database.query, options)) {
    if (signal?.aborted === true) break;
    // An id becomes part of a path.
    if (!isRunId(row.id)) continue;
    const stamp = [row.state, row.epoch, row.lastSeq, row.worker, row.pid, row.wish].join(' ');
    if (known?.get(row.id) === stamp) continue;
    // oxlint-disable-next-line no-await-in-loop -- one record at a time
    const events = row.lastSeq === 0 ? 0 : await mirrorRun(database.query, row, options);
    mirrored.push({ runId: row.id, state: row.state, events });
    known?.set(row.id, stamp);
  }
  return mirrored;
}

async function readRows(query: Query, options: MirrorOptions): Promise<readonly RunRow[]> {
  const { runs, endedWithinMs, folder } = options;
  const select = `select runs.id, runs.state, runs.epoch, runs.last_seq as "lastSeq", runs.wish, runs.outcome, workers.id as worker, workers.host, workers.pid,
      to_char(coalesce(runs.started_at, runs.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
    from pawl.runs left join pawl.workers on workers.id = runs.worker and runs.state = 'running'`;
  if (runs === undefined) {
    return query<RunRow>(
      `${select} where runs.last_seq > 0
         and ($1::float8 is null or runs.state <> 'ended' or runs.ended_at > now() - $1 * interval '1 millisecond'
           or runs.id = any($2))
       order by runs.position desc limit ${MOST_RUNS}`,
      [endedWithinMs ?? null, endedWithinMs === undefined ? [] : holdersElsewhere(folder).map(({ runId }) => runId)],
    );
  }
  const rows = new Map<string, RunRow>();
  for (const reference of runs) {
    // oxlint-disable-next-line no-await-in-loop -- few
    const found = await query<RunRow>(
      `${select} where starts_with(lower(runs.id), $1) or starts_with(lower(split_part(runs.id, '_', 2)), $1)
         or right(lower(runs.id), length($1)) = $1
       order by lower(runs.id) = $1 desc, runs.position desc limit ${MOST_OF_ONE}`,
      [reference.toLowerCase()],
    );
    const [first] = found;
    for (const row of first?.id === reference ? [first] : found) rows.set(row.id, row);
  }
  return [...rows.values()];
}

async function mirrorRun(query: Query, row: RunRow, options: MirrorOptions): Promise<number> {
  const { folder: base, runs } = options;
  // Where one is asked for, its file is looked at, whatever the mark says.
  if (runs === undefined && isWhole(base, row)) return row.lastSeq;
  const folder = makeFolder(NODE_DISK, { base, segments: ['.ralph', 'runs', row.id] }, 'refuse');
  const isEnded = row.state === 'ended';
  // A record that is not whole yet is that of a run that goes on, whoever looks in between.
  if (!isEnded) writeMark(folder, row, options);
  const events = await mirrorJournal(join(folder, JOURNAL_NAME), (fromSeq) =>
    query<EventLine>(
      `select seq, line from pawl.events where run = $1 and seq >= $2 order by seq limit ${PAGE_LINES}`,
      [row.id, fromSeq],
    ),
  );
  if (isEnded) writeMark(folder, row, options, events);
  return events;
}

/** Nothing is added to the record of a run that has ended. */
function isWhole(base: string, { id, state, epoch, lastSeq }: RunRow): boolean {
  const folder = join(base, '.ralph', 'runs', id);
  const mark = state === 'ended' ? readCopyMark(folder) : undefined;
  if (mark?.state !== 'ended' || mark.epoch !== epoch || mark.events !== lastSeq) return false;
  return statOf(NODE_DISK, join(folder, JOURNAL_NAME))?.isFile() === true;
}

function writeMark(folder: string, row: RunRow, { place: database, now }: MirrorOptions, events?: number): void {
  const { state, epoch, since, outcome } = row;
  const mark: CopyMark = {
    state,
    epoch,
    wish: row.wish ?? undefined,
    database,
    since,
    fetchedAt: new Date(now()).toISOString(),
    status: outcome?.status,
    error: outcome?.error?.slice(0, MOST_ERROR_CHARACTERS),
    kept: outcome?.kept,
    events,
    worker: row.worker ?? undefined,
    host: row.host ?? undefined,
    pid: row.pid ?? undefined,
  };
  const path = join(folder, COPY_MARK_NAME);
  const draft = `${path}.new-${process.pid}`;
  onDisk('write', path, () => {
    removeFile(NODE_DISK, draft);
    writeNewFile(NODE_DISK, draft, Buffer.from(`${JSON.stringify(mark)}\n`));
    NODE_DISK.renameSync(draft, path);
  });
}
