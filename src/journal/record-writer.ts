import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { reduce } from '../model/reduce.js';
import type { NewEvent } from '../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { NODE_DISK, writeNewFile } from './disk.js';
import { encodeRecord, type RedactLine, sumOfLine } from './record-scanner.js';
import { JOURNAL_NAME, SNAPSHOT_NAME } from './run-places.js';
import { encodeSnapshot } from './snapshot.js';

const BUFFER_BYTES = 1024 * 1024;

export interface RecordWriterOptions {
  /** Holds a folder per run. */
  readonly runs: string;
  readonly runId: string;
  readonly workingDir: string;
  readonly redact: RedactLine;
}

/**
 * Writes the whole record of a run that took place elsewhere. Until `finish` it is under another name, so that a record that
 * was cut short is never taken for one.
 */
export class RecordWriter {
  readonly #options: RecordWriterOptions;
  readonly #draft: string;
  readonly #descriptor: number;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  #offset = 0;
  #last: Buffer = Buffer.alloc(0);
  state: RunState = INITIAL_STATE;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
    this.#draft = join(options.runs, `.unfinished-${options.runId}-${process.pid}`);
    rmSync(this.#draft, { recursive: true, force: true });
    mkdirSync(this.#draft, { mode: 0o700 });
    this.#descriptor = openSync(join(this.#draft, JOURNAL_NAME), 'wx', 0o600);
  }

  get runId(): string {
    return this.#options.runId;
  }

  append(event: NewEvent, stamp: { readonly at: string; readonly activeMs: number }): void {
    const { line, recorded } = encodeRecord(event, { seq: this.state.seq + 1, ...stamp }, this.#options.redact);
    this.state = reduce(this.state, recorded);
    this.#last = line;
    this.#offset += line.length;
    this.#buffered.push(line);
    this.#bufferedBytes += line.length;
    if (this.#bufferedBytes >= BUFFER_BYTES) this.#flush();
  }

  /** Gives the record its name, in place of an earlier import of the same session. `files` are stored next to it. */
  finish(files: Readonly<Record<string, string>>): void {
    this.#flush();
    fdatasyncSync(this.#descriptor);
    const { runs, runId, workingDir } = this.#options;
    const { seq } = this.state;
    const lineSum = sumOfLine(this.#last.subarray(0, -1));
    const position = { seq, offset: this.#offset, lineBytes: this.#last.length, lineSum };
    const snapshot = encodeSnapshot({ runId, workingDir }, this.state, position);
    if (snapshot !== undefined) writeNewFile(NODE_DISK, join(this.#draft, SNAPSHOT_NAME), snapshot);
    for (const [name, text] of Object.entries(files)) {
      writeNewFile(NODE_DISK, join(this.#draft, name), Buffer.from(text));
    }
    const place = join(runs, runId);
    rmSync(place, { recursive: true, force: true });
    renameSync(this.#draft, place);
    closeSync(this.#descriptor);
  }

  /** Leaves nothing behind. */
  discard(): void {
    closeSync(this.#descriptor);
    rmSync(this.#draft, { recursive: true, force: true });
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#buffered);
    this.#buffered = [];
    this.#bufferedBytes = 0;
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
  }
}
