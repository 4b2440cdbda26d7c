import { chmodSync, existsSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { messageOf, PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { LoopState } from '../model/loop-state.js';
import type { Asked, ClaimReport, QuestionReport } from './agent-reports.js';
import type { CommandEffect } from './command-legality.js';
import { type ControlPlace, findControlPlace } from './control-place.js';
import { type ControlRequest, parseRequest } from './control-request.js';
import { setTimeout as pause } from 'node:timers/promises';

const MOST_CLIENTS = 64;
/** Folders for temporary files are cleaned, and that of a user goes when he logs out. */
const LOOK_MS = 5000;

/** The state after a command, and what comes of it. */
export interface Obeyed {
  readonly status: LoopState;
  readonly effect: CommandEffect;
}

/** More than the longest request needs. */
const MOST_LINE_BYTES = 64 * 1024;
/** Answers that wait for a client who does not read. */
const MOST_WAITING_BYTES = 64 * 1024;
/** Who asks for something does so at once. */
const IDLE_MS = 10_000;

/** Does what a client asks. Throws PawlError when it cannot be done. */
export type Obey = (command: LoopCommand, by: string) => Obeyed;

/** Takes what an agent reports. Throws PawlError when it is not taken. */
export type Hear = (report: ClaimReport, by: string) => Obeyed;

/** Takes a question of an agent. Throws PawlError when it is not taken. `signal`: the agent does not wait any more. */
export type Ask = (report: QuestionReport, by: string, signal: AbortSignal) => Asked & { readonly status: LoopState };

/** What is done about each request. */
export interface ControlCare {
  readonly obey: Obey;
  readonly hear: Hear;
  readonly ask: Ask;
}

export interface ControlOptions {
  readonly runId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onWarning?: ((message: string) => void) | undefined;
  /** How often it is looked whether the socket is still there. */
  readonly lookMs?: number | undefined;
}

/**
 * The way in for commands of other processes: a socket that only this user can reach. A run continues without it when it
 * cannot be opened, and is never held up by who is on the other side.
 */
export class ControlServer {
  readonly #options: ControlOptions;
  readonly #connections = new Set<ControlConnection>();
  readonly #pace = new ControlPace();
  #server: Server | undefined;
  #place: ControlPlace | undefined;
  /** Resolves when the request before is answered. */
  #turn: Promise<unknown> = Promise.resolve();
  #begin: () => void = () => undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /** Where it is reached, while it is open. */
  get path(): string | undefined {
    return this.#place?.path;
  }

  /** Takes requests from now on; they are answered after `begin`. Never throws. */
  open(care: ControlCare): void {
    this.#turn = new Promise<void>((resolve) => (this.#begin = resolve));
    if (!this.#listen(care)) return;
    const look = () => this.#place !== undefined && !existsSync(this.#place.path) && this.#listen(care);
    this.#watch = setInterval(look, this.#options.lookMs ?? LOOK_MS).unref();
  }

  #listen(care: ControlCare): boolean {
    this.#stopListening();
    try {
      const { runId, environment } = this.#options;
      this.#place = findControlPlace(runId, environment);
      this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#welcome(socket, care)).unref();
      this.#server.on('error', (error) => this.#warn(error));
      // A socket in the file system is there when this returns; only the reason why not comes later.
      this.#server.listen({ path: this.#place.path, exclusive: true });
      if (this.#server.listening) chmodSync(this.#place.path, 0o600);
      else this.#stopListening();
    } catch (error) {
      this.#warn(error);
      this.#stopListening();
    }
    return this.#server !== undefined;
  }

  /** The run is under way: what was asked for so far is answered now. */
  begin(): void {
    this.#begin();
  }

  /** Ends it, and with it the name of the socket. What was asked for until now is still answered. */
  close(): void {
    this.#begin();
    clearInterval(this.#watch);
    this.#stopListening();
    for (const connection of this.#connections) connection.finish();
  }

  #stopListening(): void {
    this.#server?.close();
    this.#place?.release();
    this.#place = undefined;
    this.#server = undefined;
  }

  #welcome(socket: Socket, care: ControlCare): void {
    if (this.#connections.size >= MOST_CLIENTS) this.#makeRoom();
    const connection = new ControlConnection(socket, (line, signal) => this.#answer(line, signal, care), TOO_LONG);
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
  }

  /** Who has been there longest and asks for nothing has to leave. */
  #makeRoom(): void {
    const [first] = this.#connections;
    const idle = [...this.#connections].find(({ isBusy }) => !isBusy) ?? first;
    if (idle === undefined) return;
    this.#connections.delete(idle);
    idle.drop();
  }

  async #answer(line: string, signal: AbortSignal, care: ControlCare): Promise<Answer> {
    let request: ControlRequest;
    try {
      request = parseRequest(line);
    } catch (error) {
      return { ...refusal(error), last: true };
    }
    const { runId, by } = request;
    if (runId !== this.#options.runId) return notThisRun(this.#options.runId);
    const taken = this.#turn.then(async () => {
      await this.#pace.turn();
      try {
        // An answer to a question is waited for out of turn: others are served meanwhile.
        return { later: this.#take(request, by, signal, care) };
      } catch (error) {
        return { later: Promise.resolve(refusal(error)) };
      }
    });
    this.#turn = taken;
    return (await taken).later;
  }

  #take(request: ControlRequest, by: string, signal: AbortSignal, { obey, hear, ask }: ControlCare): Promise<Answer> {
    if (request.kind === 'question') return answerLater(ask(request.report, by, signal));
    const obeyed = request.kind === 'claim' ? hear(request.report, by) : obey(request.command, by);
    return Promise.resolve(takenAnswer(obeyed));
  }

  #warn(error: unknown): void {
    const { onWarning } = this.#options;
    onWarning?.(`no commands from other processes, the control socket cannot be opened: ${messageOf(error)}`);
  }
}

async function answerLater({ id, answer, ...asked }: ReturnType<Ask>): Promise<Answer> {
  const text = await answer;
  return takenAnswer(asked, { question: id, ...(text === undefined ? {} : { answer: text }) });
}

function takenAnswer({ status, effect }: Obeyed, more: object = {}): Answer {
  return { line: JSON.stringify({ ok: true, status, effect: effect.text, pending: effect.isPending, ...more }) };
}

const TOO_LONG: Answer = {
  line: refused('ConfigError', `a request has at most ${MOST_LINE_BYTES} bytes`),
  last: true,
};

function notThisRun(runId: string): Answer {
  return { line: refused('ConfigError', `this is ${runId}, and no other run`), last: true };
}

function refusal(error: unknown): Answer {
  return { line: refused(error instanceof PawlError ? error.code : 'error', messageOf(error)) };
}

function refused(code: string, error: string): string {
  return JSON.stringify({ ok: false, code, error });
}

/** So many commands at once, then ten in a second: each is written to disk, and the loop has better things to do. */
const BURST = 50;
const EVERY_MS = 100;

/** Lets one after the other pass, no faster than the loop can bear. */
class ControlPace {
  #credit = BURST;
  #countedAtMs = performance.now();

  async turn(): Promise<void> {
    const nowMs = performance.now();
    this.#credit = Math.min(BURST, this.#credit + (nowMs - this.#countedAtMs) / EVERY_MS);
    this.#countedAtMs = nowMs;
    this.#credit -= 1;
    if (this.#credit < 0) await pause(-this.#credit * EVERY_MS, undefined, { ref: false });
  }
}

/** For a client to take the last answer. */
const FAREWELL_MS = 1000;
const NEWLINE = 0x0a;

/** What is said to a client, and whether it may ask again. */
interface Answer {
  readonly line: string;
  readonly last?: boolean | undefined;
}

/** One client of a control socket: a line in, a line out, one after the other. What it holds and waits for is bounded. */
class ControlConnection {
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
