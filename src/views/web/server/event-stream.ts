import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** A page that takes nothing for so long is not there any more. */
const STUCK_MS = 60_000;
const HEARTBEAT_MS = 15_000;

/** Server-sent events to one page. What it does not take is not kept for it: anyone who sends waits. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #ended = new AbortController();

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    response.flushHeaders();
    const heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    response.once('close', () => {
      clearInterval(heartbeat);
      this.#ended.abort();
    });
    response.on('error', () => this.#ended.abort());
    // A page that has gone before it could be answered is not told of again.
    if (response.destroyed || response.socket?.destroyed !== false) {
      clearInterval(heartbeat);
      this.#ended.abort();
    }
  }

  /** Aborted when the page is gone, or the stream is closed. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** The page has not taken what it was sent before. */
  get isBehind(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** Resolves when the page can take more, or is gone. */
  async send(text: string): Promise<void> {
    if (this.signal.aborted || this.#response.write(text)) return;
    const stuck = setTimeout(() => this.#response.destroy(), STUCK_MS);
    try {
      await once(this.#response, 'drain', { signal: this.signal });
    } catch {
      // It is gone.
    } finally {
      clearTimeout(stuck);
    }
  }

  /** What was sent is still taken, unless the page does not take it. */
  close(): void {
    this.#response.end();
    const stuck = setTimeout(() => this.#response.destroy(), STUCK_MS).unref();
    this.signal.addEventListener('abort', () => clearTimeout(stuck), { once: true });
  }

  #beat(): void {
    if (!this.isBehind && !this.#response.writableEnded) this.#response.write(': here\n\n');
  }
}

/** One message. JSON has no line breaks, which would end it. */
export function message(event: string, value: unknown, id?: number): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
