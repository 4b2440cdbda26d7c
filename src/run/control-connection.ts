import type { Socket } from 'node:net';

/** More than the longest request needs. */
export const MOST_LINE_BYTES = 64 * 1024;
/** Answers that wait for a client who does not read. */
const MOST_WAITING_BYTES = 64 * 1024;
/** Who asks for something does so at once. */
const IDLE_MS = 10_000;
/** For a client to take the last answer. */
const FAREWELL_MS = 1000;
const NEWLINE = 0x0a;

/** What is said to a client, and whether it may ask again. */
export interface Answer {
  readonly line: string;
  readonly last?: boolean | undefined;
}

/** One client of a control socket: a line in, a line out, one after the other. What it holds and waits for is bounded. */
export class ControlConnection {
  readonly #socket: Socket;
  readonly #answerTo: (line: string) => Promise<Answer>;
  readonly #gone = new AbortController();
  #unread: Buffer = Buffer.alloc(0);
  #isBusy = false;
  #isEnding = false;
  /** The last word is said: what still comes is thrown away. */
  #isOver = false;

  /** `signal` of a request: its client has gone. */
  constructor(socket: Socket, answerTo: (line: string, signal: AbortSignal) => Promise<Answer>, tooLong: Answer) {
    this.#socket = socket;
    this.#answerTo = (line) => answerTo(line, this.#gone.signal);
    socket.on('close', () => this.#gone.abort());
    // A process whose run has ended may end.
    socket.unref();
    // A client that goes away is no concern of the run's.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => this.#onSilence());
    socket.on('end', () => this.finish());
    socket.on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      this.#unread = Buffer.concat([this.#unread, chunk]);
      void this.#serve(tooLong);
    });
  }

  /** A request is being answered. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Ends it when what was asked is answered. */
  finish(): void {
    this.#isEnding = true;
    if (!this.#isBusy) this.#socket.destroySoon();
  }

  drop(): void {
    this.#socket.destroy();
  }

  async #serve(tooLong: Answer): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#socket.pause();
    for (let line = this.#takeLine(); line !== undefined; line = this.#takeLine()) {
      // oxlint-disable-next-line no-await-in-loop -- answered in the order of asking
      this.#say(await this.#answerTo(line));
    }
    this.#isBusy = false;
    if (this.#unread.length > MOST_LINE_BYTES) this.#say(tooLong);
    if (this.#isEnding) this.finish();
    else this.#socket.resume();
  }

  #takeLine(): string | undefined {
    const end = this.#unread.indexOf(NEWLINE);
    if (end === -1 || end > MOST_LINE_BYTES || this.#socket.destroyed) return undefined;
    const line = this.#unread.toString('utf8', 0, end);
    this.#unread = this.#unread.subarray(end + 1);
    return line;
  }

  #say({ line, last }: Answer): void {
    if (!this.#socket.writable) return;
    if (last === true) return this.#farewell(line);
    this.#socket.write(`${line}\n`);
    if (this.#socket.writableLength > MOST_WAITING_BYTES) this.drop();
  }

  /** The client may still be sending, and would lose the answer if it were cut off. */
  #farewell(line: string): void {
    this.#isOver = true;
    this.#unread = Buffer.alloc(0);
    this.#socket.end(`${line}\n`);
    setTimeout(() => this.drop(), FAREWELL_MS).unref();
  }

  #onSilence(): void {
    if (this.#isBusy) this.#socket.setTimeout(IDLE_MS);
    else this.drop();
  }
}
