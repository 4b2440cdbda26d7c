/**
 * J1: write, sync at boundaries, fold, publish: one function, `append`. Nothing waits in memory, so that kill -9 loses
 * nothing that was published. Live events are synced together within a second: a loss of power may lose that second.
 */
import { FileSystemError, InvalidState, messageOf } from '../model/errors.js';
import { reduce } from '../model/reduce.js';
import { EVENT_TYPES, type NewEvent, type RunEvent } from '../model/run-event.js';
import { hasEnded } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Journal, JournalListener, Publisher } from './journal.js';
import type { RecordFile } from './record-file.js';
import { readJournal } from './read-journal.js';
import type { RecoveredTail } from './recover.js';
import { encodeRecord, MAX_LINE_BYTES, type RedactLine, sumOfLine } from './record-scanner.js';
import { type Seal, withSeal } from './run-seal.js';
import type { JournalPosition } from './snapshot.js';

/** Live events are on disk, and `state.json` is up to date, after this and the time that the disk takes. */
const PULSE_MS = 500;
/** When no timer fires because the event loop is busy, the append itself sees to it. */
const LATEST_MS = 1000;
/** A snapshot of a large state takes time: it is taken so seldom that it takes no more than this part of it. */
const SNAPSHOT_SHARE = 0.05;

/** The journal of a run in its run folder. */
export interface FileJournal extends Journal {
  readonly runId: string;
  /** The run folder. */
  readonly folder: string;
  readonly path: string;
  /** What was cut off when it was opened. */
  readonly recovered?: RecoveredTail | undefined;
  /** What went wrong without harm to the record. */
  readonly warnings: readonly string[];
  /** Other runs of the tree whose writer died: what they started may still be running. */
  readonly deadRuns: readonly string[];
}

export interface FileJournalParts {
  readonly deadRuns: readonly string[];
  readonly runId: string;
  readonly folder: string;
  readonly recovered?: RecoveredTail | undefined;
  /** `state.json` already has this state. */
  readonly isSnapshotCurrent: boolean;
  readonly warnings: readonly string[];
  readonly file: RecordFile;
  readonly state: RunState;
  readonly position: JournalPosition;
  readonly publisher: Publisher;
  readonly now: () => number;
  readonly redact: RedactLine;
  readonly seal?: Seal | undefined;
  /** False when it could not be written. */
  readonly writeSnapshot: (state: RunState, position: JournalPosition) => boolean;
  /** Looks after the links and the locks. */
  readonly keepNames: () => void;
  readonly renewReserve: () => void;
  /** Gives back locks and reserve. */
  readonly release: () => void;
}

export class OpenFileJournal implements FileJournal {
  readonly #parts: FileJournalParts;
  #state: RunState;
  #position: JournalPosition;
  #fatal: unknown;
  #closing: Promise<void> | undefined;
  #pulse: NodeJS.Timeout | undefined;
  #unsyncedSinceMs: number | undefined;
  /** Number of the last record that is known to be on disk. */
  #syncedSeq: number;
  #snapshotSeq: number;
  /** The run had ended there, and the snapshot of it was written. */
  #savedEndSeq: number | undefined;
  #snapshotAtMs: number;
  #snapshotEveryMs = LATEST_MS;
  /** Who waits until what is recorded is on disk. */
  #waiting: { readonly seq: number; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];

  constructor(parts: FileJournalParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#position = parts.position;
    this.#syncedSeq = parts.position.seq;
    this.#snapshotSeq = parts.position.seq;
    this.#snapshotAtMs = performance.now();
  }

  /** For outside readers there is a snapshot from the start. */
  begin(): void {
    if (!this.#parts.isSnapshotCurrent) this.#snapshot();
    this.#parts.keepNames();
    // The first boundary gets one too: from then on a loss of power finds a place to start from.
    this.#snapshotAtMs = Number.NEGATIVE_INFINITY;
  }

  get state(): RunState {
    return this.#state;
  }

  get diskFull(): boolean {
    return this.#parts.file.diskFull;
  }

  get runId(): string {
    return this.#parts.runId;
  }

  get folder(): string {
    return this.#parts.folder;
  }

  get path(): string {
    return this.#parts.file.path;
  }

  get recovered(): RecoveredTail | undefined {
    return this.#parts.recovered;
  }

  get deadRuns(): readonly string[] {
    return this.#parts.deadRuns;
  }

  get warnings(): readonly string[] {
    return this.#parts.warnings;
  }

  append(event: NewEvent, activeMs: number): RunEvent {
    this.#checkUsable();
    const { file, publisher, now, redact, runId, seal } = this.#parts;
    const stamp = { seq: this.#state.seq + 1, at: new Date(now()).toISOString(), activeMs };
    const { line, recorded } = encodeRecord(
      seal === undefined ? event : withSeal(event, runId, seal, redact),
      stamp,
      redact,
    );
    if (line.length > MAX_LINE_BYTES) throw tooLong(this.path, event, line.length);
    // Folded before it is written, so that an event that cannot be folded never gets into the record.
    const state = reduce(this.#state, recorded);
    const { synced } = EVENT_TYPES[recorded.type];
    const wasRestored = synced && file.keepName();
    const restored = file.append(line) || wasRestored;
    const toSync = synced || restored || this.#isOverdue();
    if (toSync) this.#sync();
    else this.#unsyncedSinceMs ??= performance.now();
    if (toSync) this.#syncedSeq = recorded.seq;
    this.#state = state;
    this.#position = {
      seq: recorded.seq,
      offset: file.offset,
      lineBytes: line.length,
      lineSum: sumOfLine(line.subarray(0, -1)),
    };
    this.#follow({ synced, restored, ended: recorded.type === 'run-ended' });
    publisher.publish(recorded, state);
    return recorded;
  }

  synced(): Promise<void> {
    const { seq } = this.#position;
    if (this.#syncedSeq >= seq) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ seq, resolve, reject });
      this.#syncInBackground();
    });
  }

  subscribe(listener: JournalListener): () => void {
    return this.#parts.publisher.subscribe(listener);
  }

  read(fromSeq?: number): AsyncIterable<RunEvent> {
    if (this.#closing === undefined && this.#fatal === undefined) this.#parts.file.keepName();
    return readJournal(this.path, { fromSeq, untilOffset: this.#position.offset });
  }

  /** Syncs what is not synced yet and lets go of the run. The record is whole also without it. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { file, release } = this.#parts;
    clearTimeout(this.#pulse);
    try {
      if (this.#fatal === undefined) {
        if (this.#unsyncedSinceMs !== undefined) this.#sync();
        file.keepName();
        this.#parts.keepNames();
        // The snapshot of an ended run has no key that closing changes.
        if (this.#savedEndSeq !== this.#position.seq) this.#snapshot();
      }
    } finally {
      await file.close();
      release();
    }
    if (this.#fatal !== undefined) throw new FileSystemError('sync', this.path, this.#fatal);
  }

  #checkUsable(): void {
    if (this.#closing !== undefined) throw new InvalidState('closed', 'append to');
    if (this.#fatal === undefined) return;
    const why = `a sync failed before (${messageOf(this.#fatal)}), so recent writes may be lost`;
    throw new FileSystemError('write to', this.path, new Error(why, { cause: this.#fatal }));
  }

  /** A failed sync is fatal: the system may have dropped the data, and a second sync would report success. */
  #sync(): void {
    try {
      this.#parts.file.sync();
    } catch (error) {
      this.#fatal = error;
      throw new FileSystemError('sync', this.path, error);
    }
    this.#unsyncedSinceMs = undefined;
  }

  #isOverdue(): boolean {
    return this.#unsyncedSinceMs !== undefined && performance.now() - this.#unsyncedSinceMs > LATEST_MS;
  }

  /** Sees to it that names, snapshot and the sync of live events follow. Does not throw: the event is recorded. */
  #follow({ synced, restored, ended }: { synced: boolean; restored: boolean; ended: boolean }): void {
    if (synced || restored) this.#parts.keepNames();
    // Once the disk is full, the space that is left is for events.
    if (restored && !this.diskFull) this.#parts.renewReserve();
    const due = restored || performance.now() - this.#snapshotAtMs > this.#snapshotEveryMs;
    const covered = this.#syncedSeq === this.#position.seq;
    // What is recorded of an ended run comes just before it is resumed, or just before it is closed: that gets the snapshot.
    const isLive = !hasEnded(this.#state);
    if (ended || (due && isLive && covered && !this.diskFull)) this.#snapshot();
    this.#pulse ??= setTimeout(() => this.#onPulse(), PULSE_MS).unref();
  }

  #onPulse(): void {
    this.#pulse = undefined;
    if (this.#fatal !== undefined || this.#closing !== undefined) return;
    if (this.#unsyncedSinceMs !== undefined) this.#syncInBackground();
    if (this.#snapshotSeq === this.#position.seq || this.diskFull) return;
    const dueInMs = this.#snapshotAtMs + this.#snapshotEveryMs - performance.now();
    if (dueInMs <= 0 && this.#syncedSeq === this.#position.seq) this.#snapshot();
    else this.#pulse = setTimeout(() => this.#onPulse(), Math.max(dueInMs, PULSE_MS)).unref();
  }

  #syncInBackground(): void {
    const [state, position] = [this.#state, this.#position];
    const started = this.#parts.file.syncInBackground((error) => {
      if (error !== undefined) this.#fatal ??= error;
      else if (this.#closing === undefined && this.#fatal === undefined) this.#covered(state, position);
      this.#tellWaiting();
    });
    if (started) this.#unsyncedSinceMs = undefined;
  }

  /** Those whose records are on disk continue; for the others there is another sync. */
  #tellWaiting(): void {
    const waiting = this.#waiting;
    const isOver = this.#closing !== undefined;
    this.#waiting = waiting.filter(({ seq }) => seq > this.#syncedSeq && this.#fatal === undefined && !isOver);
    for (const { seq, resolve, reject } of waiting) {
      if (this.#fatal !== undefined) reject(new FileSystemError('sync', this.path, this.#fatal));
      else if (seq <= this.#syncedSeq || isOver) resolve();
    }
    if (this.#waiting.length > 0) this.#syncInBackground();
  }

  /** Everything up to a position is on disk now: a snapshot may be taken of it. */
  #covered(state: RunState, position: JournalPosition): void {
    this.#syncedSeq = Math.max(this.#syncedSeq, position.seq);
    if (this.#waiting.length > 0) this.#parts.keepNames();
    const isDue = performance.now() - this.#snapshotAtMs > this.#snapshotEveryMs;
    if (isDue && !this.diskFull && position.seq > this.#snapshotSeq) this.#snapshot(state, position);
  }

  /** Of what is synced: a snapshot that is ahead of the journal after a loss of power would be of no use. */
  #snapshot(state = this.#state, position = this.#position): void {
    this.#snapshotAtMs = performance.now();
    this.#snapshotSeq = position.seq;
    const isWritten = this.#parts.writeSnapshot(state, position);
    this.#savedEndSeq = isWritten && hasEnded(state) ? position.seq : undefined;
    const tookMs = performance.now() - this.#snapshotAtMs;
    this.#snapshotEveryMs = Math.max(LATEST_MS, tookMs / SNAPSHOT_SHARE);
  }
}

function tooLong(path: string, event: NewEvent, bytes: number): FileSystemError {
  const why = `${event.type} has ${bytes} bytes, more than the ${MAX_LINE_BYTES} allowed`;
  return new FileSystemError('write to', path, why);
}
