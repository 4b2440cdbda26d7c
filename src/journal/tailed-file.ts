import { type FileHandle, open } from 'node:fs/promises';
import { FileSystemError } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { errnoOf, OPEN_TO_READ, isSameFile } from './disk.js';
import { ownLink } from './run-places.js';
import { RecordScanner, type TornTail, CHUNK_BYTES } from './record-scanner.js';

/** Not there yet, or something of the agent's is there: the writer puts its own file back. */
const NOT_THERE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

const NEWLINE = 0x0a;

/** Behind which record a reader continues. */
export interface TailPosition {
  readonly seq: number;
  /** Where the record ends. */
  readonly offset: number;
  /** Bytes of the record with its newline. */
  readonly lineBytes: number;
}

export const TAIL_START: TailPosition = { seq: 0, offset: 0, lineBytes: 0 };

/** Reads the records that follow, from whichever file has the name now and the same record in it. */
export class TailedFile {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #seq: number;
  #offset: number;
  #lineBytes: number;
  /** Size and time of the last change when the end was reached. */
  #seen: string | undefined;
  #tail: TornTail | undefined;
  #isSuperseded = false;

  constructor(path: string, { seq, offset, lineBytes }: TailPosition = TAIL_START) {
    this.#path = path;
    this.#seq = seq;
    this.#offset = offset;
    this.#lineBytes = lineBytes;
  }

  get position(): TailPosition {
    return { seq: this.#seq, offset: this.#offset, lineBytes: this.#lineBytes };
  }

  /** What stood behind the last whole record when the end was reached. */
  get tail(): TornTail | undefined {
    return this.#tail;
  }

  /** What has the name now is another record, or less of this one than was read. */
  get isSuperseded(): boolean {
    return this.#isSuperseded;
  }

  /** Opens the file, or the one that has taken its place. */
  async look(): Promise<void> {
    const found = await openRegular(this.#path);
    if (found === undefined) return;
    const ours = this.#handle;
    if (ours !== undefined) {
      const [old, fresh] = await Promise.all([ours.stat(), found.stat()]);
      const isSame = isSameFile(old, fresh);
      this.#isSuperseded = isSame ? fresh.size < this.#offset : !(await this.#continuesIn(found, ours));
      if (isSame || this.#isSuperseded) return found.close();
      await ours.close();
    } else this.#isSuperseded = !(await this.#beginsIn(found));
    this.#handle = found;
    this.#seen = undefined;
  }

  /**
   * The records behind the last one read, chunk by chunk. What is not whole at the end is inspected again next time.
   * `skims`: the reader only folds, and needs nothing of what the agent said or did.
   */
  async *read({ skims = false } = {}): AsyncGenerator<readonly RunEvent[], void, void> {
    if (this.#handle === undefined) return;
    const { size, mtimeMs } = await this.#handle.stat();
    const now = `${size} ${mtimeMs}`;
    if (now === this.#seen) return;
    const scanner = new RecordScanner({ path: this.#path, seq: this.#seq, offset: this.#offset, skims });
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = this.#offset; ; ) {
      const { bytesRead } = await this.#handle.read(chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const events = scanner.feed(chunk.subarray(0, bytesRead));
      if (events.length === 0) continue;
      this.#seq = scanner.seq;
      this.#offset = scanner.offset;
      this.#lineBytes = scanner.lineBytes;
      yield events;
    }
    this.#tail = scanner.end();
    this.#seen = now;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Whether a record ends where this reader is told to continue. */
  async #beginsIn(file: FileHandle): Promise<boolean> {
    if (this.#offset === 0) return true;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, this.#offset - 1);
    return buffer[0] === NEWLINE;
  }

  /** Whether another file has the last record that was read in the same place. */
  async #continuesIn(other: FileHandle, ours: FileHandle): Promise<boolean> {
    const start = this.#offset - this.#lineBytes;
    const lastIn = (file: FileHandle) => file.read(Buffer.alloc(this.#lineBytes), 0, this.#lineBytes, start);
    const [theirs, own] = await Promise.all([lastIn(other), lastIn(ours)]);
    return own.buffer.equals(theirs.buffer);
  }
}

async function openRegular(path: string): Promise<FileHandle | undefined> {
  try {
    const handle = await open(ownLink(path), OPEN_TO_READ);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch (error) {
    if (NOT_THERE.has(errnoOf(error))) return undefined;
    throw new FileSystemError('open', path, error);
  }
}
