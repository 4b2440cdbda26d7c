import type { AgentAdapter, AgentEnvironment, Invocation, LineReader, Sidecar } from '../agents/adapter.js';
import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { NOTHING_SPENT } from '../model/usage.js';
import type { Dirent } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLineSplitter, type LineSplitter } from '../process/line-splitter.js';

/** All that one invocation of an agent tells: its output, and the file next to it once its session is known. */
export class AgentStream {
  readonly #adapter: AgentAdapter;
  readonly #environment: AgentEnvironment;
  readonly #tell: (event: AgentEvent) => void;
  readonly #reader: LineReader;
  readonly #reports = new ReportMerger();
  readonly #startedAt = new Date().toISOString();
  #tail: SidecarTail | undefined;
  #hasUsage = false;
  #hasFailed = false;

  /** `tell` must not throw. */
  constructor(
    adapter: AgentAdapter,
    { env, session }: Pick<Invocation, 'env' | 'session'>,
    tell: (event: AgentEvent) => void,
  ) {
    this.#adapter = adapter;
    this.#environment = env;
    this.#tell = tell;
    this.#reader = adapter.reader?.({ now: () => new Date(), session }) ?? {
      read: (line) => adapter.parse(line),
      end: () => [],
    };
  }

  read(line: string, source: 'stdout' | 'stderr'): void {
    for (const event of source === 'stdout' ? this.#reader.read(line) : this.#readError(line)) this.#pass(event);
  }

  /** The process is gone: the rest of the file is read, and what was held back is told. */
  async end(): Promise<void> {
    for (const event of this.#reader.end()) this.#pass(event);
    const wasRecorded = (await this.#tail?.end()) ?? false;
    for (const event of this.#reports.end()) this.#tellOn(event);
    // Its own record has no request that was answered: it was refused, which is known to have used nothing.
    if (wasRecorded && this.#hasFailed && !this.#hasUsage) {
      this.#tell({ kind: 'usage', scope: 'turn', spend: NOTHING_SPENT });
    }
  }

  #readError(line: string): readonly AgentEvent[] {
    return this.#reader.readError?.(line) ?? this.#adapter.parseError?.(line) ?? [];
  }

  #pass(event: AgentEvent): void {
    if (event.kind === 'session') this.#follow(event.id);
    this.#passFrom(event, 'stream');
  }

  #passFrom(event: AgentEvent, source: 'stream' | 'file'): void {
    const told = this.#adapter.sidecar === undefined ? event : this.#reports.pass(event, source);
    if (told !== undefined) this.#tellOn(told);
  }

  #tellOn(event: AgentEvent): void {
    if (event.kind === 'usage') this.#hasUsage = true;
    if (event.kind === 'result') this.#hasFailed = event.outcome === 'error';
    this.#tell(event);
  }

  #follow(session: string): void {
    if (this.#tail !== undefined) return;
    const sidecar = this.#adapter.sidecar?.(session, { environment: this.#environment });
    if (sidecar === undefined) return;
    const onEvent = (event: AgentEvent): void => this.#passFrom(event, 'file');
    this.#tail = tailSidecar({ sidecar, since: this.#startedAt, onEvent });
  }
}

type Usage = AgentEventOf<'usage'>;

/** Requests of the stream that are held back; of more than these the oldest is told. */
const MOST_HELD = 1000;

/**
 * Joins what an agent tells on its stream and in the file next to it, which come in no order.
 * - A request counts as the file tells it: only there it has the name under which a later reader finds it again. One of
 *   the stream is told at the end, if the file has none with its figures, or where it has no figures, too few.
 * - Turns and totals wait until all requests are told: a request that comes after a sum which has it would count twice.
 * - Of the last totals of both the larger counts: a turn that failed has none on its stream, a file may lack its end.
 */
export class ReportMerger {
  #session: string | undefined;
  readonly #held: Usage[] = [];
  /** Requests that the stream shows without figures, less those that the file tells. */
  #unknown = 0;
  /** How many requests the file has with the same figures. */
  readonly #filed = new Map<string, number>();
  readonly #turns: Usage[] = [];
  readonly #totals: { stream?: Usage; file?: Usage } = {};

  /** The event if it can be told now. */
  pass(event: AgentEvent, source: 'stream' | 'file'): AgentEvent | undefined {
    if (event.kind === 'session') this.#session = event.id;
    if (event.kind !== 'usage') return event;
    if (event.scope === 'request') return source === 'file' ? this.#file(event) : this.#hold(event);
    if (event.scope === 'turn') this.#turns.push(event);
    else this.#totals[source] = event;
    return undefined;
  }

  end(): readonly Usage[] {
    const { stream, file } = this.#totals;
    const [total] = [file, stream].filter((one) => one !== undefined).sort(bySize);
    const totals = total === undefined ? [] : [{ ...total, session: total.session ?? this.#session }];
    const unknown = this.#unknown > 0 ? [{ kind: 'usage', scope: 'request', spend: {}, unknown: true } as const] : [];
    return [...this.#held.filter((request) => !this.#isFiled(request)), ...this.#turns, ...totals, ...unknown];
  }

  #file(request: Usage): Usage {
    const figures = figuresOf(request);
    this.#unknown -= 1;
    this.#filed.set(figures, (this.#filed.get(figures) ?? 0) + 1);
    return request;
  }

  #hold(request: Usage): Usage | undefined {
    if (request.unknown === true) {
      this.#unknown += 1;
      return undefined;
    }
    this.#held.push(request);
    const oldest = this.#held.length > MOST_HELD ? this.#held.shift() : undefined;
    return oldest === undefined || this.#isFiled(oldest) ? undefined : oldest;
  }

  #isFiled(request: Usage): boolean {
    const figures = figuresOf(request);
    const count = this.#filed.get(figures) ?? 0;
    if (count > 1) this.#filed.set(figures, count - 1);
    else this.#filed.delete(figures);
    return count > 0;
  }
}

function figuresOf({ spend }: Usage): string {
  return `${spend.inputTokens} ${spend.outputTokens}`;
}

function bySize(a: Usage, b: Usage): number {
  return (b.spend.totalTokens ?? 0) - (a.spend.totalTokens ?? 0);
}

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

interface TailOptions {
  readonly sidecar: Sidecar;
  /** Lines from before this time are not told. */
  readonly since: string;
  /** Must not throw. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** Follows a file that an agent writes next to its stream. What cannot be read is looked for again, and never an error. */
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
