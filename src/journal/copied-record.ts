import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fields, maybe, oneOf, text } from '../model/recorded-shapes.js';
import { namesIn, NODE_DISK, readWholeFile, type Place } from './disk.js';
import type { LockHolder } from './lock.js';
import { isRunId, type Environment, stateHome } from './run-places.js';

/** Next to the journal of a run whose record is a copy. */
export const COPY_MARK_NAME = 'fleet.json';

const COPIES_NAME = 'fleet-records';
const LIMIT_BYTES = 16 * 1024;

/** What was known of a run when its record was copied here: its process is on another machine and holds no lock here. */
export interface CopyMark {
  readonly state: 'queued' | 'running' | 'waiting' | 'ended';
  readonly epoch: number;
  /** What was requested for it: `pause` or `cancel`. */
  readonly wish?: string | undefined;
  /** The URL of the database, without its password. */
  readonly database: string;
  readonly since: string;
  /** When it was so. */
  readonly fetchedAt?: string | undefined;
  /** How it ended, if its record does not contain that, because no process could continue it. */
  readonly status?: string | undefined;
  readonly error?: string | undefined;
  /** Where its working tree is kept because it holds what is on no branch, as HOST:PATH. */
  readonly kept?: string | undefined;
  /** Lines that the journal next to it has, when the run has ended. */
  readonly events?: number | undefined;
  readonly worker?: string | undefined;
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
}

/** Where the records of one database are copied to; `name` identifies the database. */
export function copiesPlace(name: string, environment: Environment): Place {
  return { base: stateHome(environment), segments: ['pawl', COPIES_NAME, name], makesBase: true };
}

/** Whether the records in a folder are copies. Only the user's own state folder has such: a repository cannot bring any. `folder` is a real path. */
export function holdsCopies(folder: string, environment: Environment): boolean {
  try {
    return dirname(folder) === realpathSync(join(stateHome(environment), 'pawl', COPIES_NAME));
  } catch {
    return false;
  }
}

/** Undefined when it is missing or damaged. */
export function readCopyMark(runFolder: string): CopyMark | undefined {
  try {
    const bytes = readWholeFile(NODE_DISK, join(runFolder, COPY_MARK_NAME), LIMIT_BYTES);
    const value: unknown = bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    return isMark(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The copied runs that have not ended, as if their processes held a lock here. */
export function holdersElsewhere(folder: string): readonly LockHolder[] {
  const runs = join(folder, '.ralph', 'runs');
  return namesIn(runs).flatMap((runId) => {
    const mark = isRunId(runId) ? readCopyMark(join(runs, runId)) : undefined;
    return mark === undefined || mark.state === 'ended' ? [] : [holderOf(runId, mark)];
  });
}

function holderOf(runId: string, { host = 'the fleet', pid = 0, since, epoch }: CopyMark): LockHolder {
  return { runId, host, pid, since, nonce: epoch.toString(16) };
}

const whole = (value: unknown) => Number.isSafeInteger(value);
const isShape = fields({
  state: oneOf<CopyMark['state']>({ queued: true, running: true, waiting: true, ended: true }),
  epoch: whole,
  wish: maybe(text),
  database: text,
  since: text,
  fetchedAt: maybe(text),
  status: maybe(text),
  error: maybe(text),
  kept: maybe(text),
  events: maybe(whole),
  worker: maybe(text),
  host: maybe(text),
  pid: maybe(whole),
});

function isMark(value: unknown): value is CopyMark {
  return isShape(value);
}
