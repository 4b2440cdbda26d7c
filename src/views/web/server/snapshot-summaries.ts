import { hasEnded } from '../../../model/phase.js';
import { lstatSync, type Stats } from 'node:fs';
import { readSnapshot, type SnapshotPlace, type StoredSnapshot } from '../../../journal/snapshot.js';
import type { Surroundings } from '../../../app/surroundings.js';
import { type ShownRun, shownRun } from './run-row.js';

/** To read a larger one would hold everybody up; the journal can be read bit by bit. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** What is remembered of a `state.json`: not the state, which can be large. */
export interface RememberedSnapshot extends SnapshotPlace {
  /** Changes when the file does. */
  readonly stamp: string;
  /** What is shown while the run is being written; absent when only the journal has it. */
  readonly live?: ShownRun | undefined;
  /** What is shown when no one does; absent when the journal has to tell. */
  readonly ended?: ShownRun | undefined;
}

interface Remembered {
  readonly stamp: string;
  readonly glance: RememberedSnapshot | undefined;
  look: number;
}

/** Reads each `state.json` once, and again only when it has changed. Both names of a file are one file. */
export class SnapshotSummaries {
  readonly #context: Surroundings;
  readonly #known = new Map<string, Remembered>();
  /** By path, what was read since the last call of `forgetUnseen`. */
  readonly #seen = new Map<string, RememberedSnapshot | undefined>();
  #look = 0;

  constructor(context: Surroundings) {
    this.#context = context;
  }

  readonly read = (path: string): RememberedSnapshot | undefined => {
    if (this.#seen.has(path)) return this.#seen.get(path);
    const glance = this.#read(path);
    this.#seen.set(path, glance);
    return glance;
  };

  #read(path: string): RememberedSnapshot | undefined {
    const found = statsOf(path);
    if (found?.isFile() !== true || found.size > LARGEST_BYTES) return undefined;
    const key = `${found.dev} ${found.ino}`;
    const stamp = stampOf(found);
    const known = this.#known.get(key);
    if (known?.stamp === stamp) {
      known.look = this.#look;
      return known.glance;
    }
    const glance = summaryOf(readSnapshot(path), stamp, this.#context);
    this.#known.set(key, { stamp, glance, look: this.#look });
    return glance;
  }

  /** What was not inspected since the last call is forgotten. */
  forgetUnseen(): void {
    for (const [key, { look }] of this.#known) if (look !== this.#look) this.#known.delete(key);
    this.#look += 1;
    this.#seen.clear();
  }
}

/** One that is too large to be read at once is left to who can wait. */
export function readSmallSnapshot(path: string): StoredSnapshot | undefined {
  return (statsOf(path)?.size ?? 0) > LARGEST_BYTES ? undefined : readSnapshot(path);
}

function summaryOf(
  snapshot: StoredSnapshot | undefined,
  stamp: string,
  context: Surroundings,
): RememberedSnapshot | undefined {
  if (snapshot === undefined) return undefined;
  const { runId, workingDir, state } = snapshot;
  const place = { workingDir, spec: { worktree: snapshot.spec?.worktree }, stamp };
  if (state === undefined) return place;
  const source = { runId, workingDir, state, isDamaged: false };
  return {
    ...place,
    live: shownRun({ ...source, isLive: true }, context),
    ended: hasEnded(state) ? shownRun({ ...source, isLive: false }, context) : undefined,
  };
}

/** What tells whether a file has changed; undefined when it is not there. */
export function fileStamp(path: string): string | undefined {
  const found = statsOf(path);
  return found === undefined ? undefined : stampOf(found);
}

function stampOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${mtimeMs}`;
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
