import { type Dirent } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sidecar } from '../agents/adapter.js';
import type { AgentEvent } from '../model/agent-event.js';
import { createLineSplitter, type LineSplitter } from '../process/line-splitter.js';

const POLL_MS = 200;
/** A file that does not come is looked for less and less often: the folder may be large. */
const SLOWEST_POLL_MS = 5000;
const LINE_LIMIT_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const MOST_DEPTH = 6;

export interface SidecarTail {
  /** Reads what is still unread and ends; tells whether there was a file. Never rejects. No event comes after it. */
  end(): Promise<boolean>;
}

export interface TailOptions {
  readonly sidecar: Sidecar;
  /** Lines from before this time are not told. */
  readonly since: string;
  /** Must not throw. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** Follows a file that an agent writes beside its stream. What cannot be read is looked for again, and never an error. */
export function tailSidecar(options: TailOptions): SidecarTail {
  return new Tail(options);
}

class Tail implements SidecarTail {
  readonly #options: TailOptions;
  readonly #ending = new AbortController();
  readonly #buffer = Buffer.alloc(CHUNK_BYTES);
  readonly #followed: Promise<void>;
  #path: string | undefined;
  /** Inode and birth: a new file may get the inode of one that was removed. */
  #identity: string | undefined;
  #position = 0;
  #splitter: LineSplitter;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#splitter = this.#newSplitter();
    this.#followed = this.#follow();
  }

  async end(): Promise<boolean> {
    this.#ending.abort();
    await this.#followed;
    await this.#look();
    this.#splitter.end();
    return this.#identity !== undefined;
  }

  async #follow(): Promise<void> {
    let pollMs = POLL_MS;
    while (!this.#ending.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await this.#look();
      pollMs = this.#path === undefined ? Math.min(pollMs * 2, SLOWEST_POLL_MS) : POLL_MS;
      // oxlint-disable-next-line no-await-in-loop -- the pause between two looks
      await pause(pollMs, undefined, { ref: false, signal: this.#ending.signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    try {
      this.#path ??= await findFile(this.#options.sidecar.folder, this.#options.sidecar, MOST_DEPTH);
      if (this.#path !== undefined) await this.#readRest(this.#path);
    } catch {
      // It is gone, or may not be read: the next look begins with the search.
      this.#path = undefined;
    }
  }

  async #readRest(path: string): Promise<void> {
    const file = await open(path, 'r');
    try {
      const { ino, birthtimeNs, size } = await file.stat({ bigint: true });
      const identity = `${ino} ${birthtimeNs}`;
      if (identity !== this.#identity || size < this.#position) this.#beginAnew();
      this.#identity = identity;
      await this.#readChunks(file);
    } finally {
      await file.close();
    }
  }

  async #readChunks(file: FileHandle): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one chunk after the other
      const { bytesRead } = await file.read(this.#buffer, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#splitter.write(this.#buffer.subarray(0, bytesRead));
    }
  }

  /** Another file, or one that was cut. Requests that are told again carry the same ids. */
  #beginAnew(): void {
    this.#position = 0;
    this.#splitter = this.#newSplitter();
  }

  #newSplitter(): LineSplitter {
    const read = this.#options.sidecar.reader(this.#options.since);
    return createLineSplitter(({ text, omittedBytes }) => {
      if (omittedBytes > 0) return;
      for (const event of read(text)) this.#options.onEvent(event);
    }, LINE_LIMIT_BYTES);
  }
}

/** The newest folders first, where they are named by date: a session under way is mostly of today. */
async function findFile(folder: string, sidecar: Sidecar, depth: number): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const file = entries.find((entry) => entry.isFile() && sidecar.matches(entry.name));
  if (file !== undefined) return join(folder, file.name);
  if (depth === 0) return undefined;
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const name of folders.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))) {
    // oxlint-disable-next-line no-await-in-loop -- most searches end in the first folder
    const found = await findFile(join(folder, name), sidecar, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
