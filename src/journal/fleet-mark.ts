import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NODE_DISK, readWholeFile } from './disk.js';
import type { LockHolder } from './lock-holder.js';
import { isRunId } from './run-id.js';
import { type Environment, type Place, stateHome } from './second-home.js';

/** Beside the journal of a run that a fleet works on. */
export const FLEET_MARK_NAME = 'fleet.json';

const MIRRORS_NAME = 'fleet-records';
const LIMIT_BYTES = 16 * 1024;

/** What a fleet knew of a run when its record was copied: nobody holds a lock here that could tell. */
export interface FleetMark {
  readonly state: 'queued' | 'running' | 'waiting' | 'ended';
  readonly epoch: number;
  /** What somebody wishes of it: `pause` or `cancel`. */
  readonly wish?: string | undefined;
  /** The URL of the database, without its password. */
  readonly database: string;
  readonly since: string;
  /** When it was so. */
  readonly fetchedAt?: string | undefined;
  /** How it ended, for one whose record does not tell: nobody could go on with it. */
  readonly status?: string | undefined;
  readonly error?: string | undefined;
  /** Where its working tree is kept because it holds what is on no branch, as HOST:PATH. */
  readonly kept?: string | undefined;
  /** Lines that the journal beside it has, when the run has ended. */
  readonly events?: number | undefined;
  readonly worker?: string | undefined;
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
}

/** Where the records of a fleet are copied to; `name` tells one fleet from another. */
export function fleetMirrorPlace(name: string, environment: Environment): Place {
  return { base: stateHome(environment), segments: ['pawl', MIRRORS_NAME, name], makesBase: true };
}

/** Only the user's own state folder holds such copies: nothing that came with a repository is one. `folder` is a real path. */
export function isFleetMirror(folder: string, environment: Environment): boolean {
  const mirrors = dirname(folder);
  if (basename(mirrors) !== MIRRORS_NAME) return false;
  try {
    return mirrors === realpathSync(join(stateHome(environment), 'pawl', MIRRORS_NAME));
  } catch {
    return false;
  }
}

/** Undefined when it is missing or damaged. */
export function readFleetMark(runFolder: string): FleetMark | undefined {
  try {
    const bytes = readWholeFile(NODE_DISK, join(runFolder, FLEET_MARK_NAME), LIMIT_BYTES);
    const value: unknown = bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
    return isMark(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The runs of a copy that the fleet still works on, as if their workers held a lock here. */
export function fleetHolders(mirror: string): readonly LockHolder[] {
  const runs = join(mirror, '.ralph', 'runs');
  return namesIn(runs).flatMap((runId) => {
    const mark = isRunId(runId) ? readFleetMark(join(runs, runId)) : undefined;
    return mark === undefined || mark.state === 'ended' ? [] : [holderOf(runId, mark)];
  });
}

function holderOf(runId: string, { host = 'the fleet', pid = 0, since, epoch }: FleetMark): LockHolder {
  return { runId, host, pid, since, nonce: epoch.toString(16) };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isMark(value: unknown): value is FleetMark {
  if (typeof value !== 'object' || value === null) return false;
  const mark = value as Partial<Record<keyof FleetMark, unknown>>;
  const { state, epoch, database, since, events, pid } = mark;
  const texts = [mark.wish, mark.fetchedAt, mark.status, mark.error, mark.kept, mark.worker, mark.host];
  return (
    ['queued', 'running', 'waiting', 'ended'].some((known) => known === state) &&
    Number.isSafeInteger(epoch) &&
    typeof database === 'string' &&
    typeof since === 'string' &&
    texts.every((text) => text === undefined || typeof text === 'string') &&
    [events, pid].every((count) => count === undefined || typeof count === 'number')
  );
}
