import { connect, type Socket } from 'node:net';
import { messageOf, PawlError } from '../model/errors.js';
import { isRecord } from '../model/show-value.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { ClaimReport, QuestionReport } from './agent-reports.js';
import { isNotOthers, isSocketOf } from './control-place.js';

const MOST_ANSWER_BYTES = 64 * 1024;
const DEFAULT_TIMEOUT_MS = 30_000;

/** Which run is spoken to, and by whom. */
export interface RunAddress {
  /** Path of the run's control socket, as its `state.json` names it under `control`. */
  readonly socket: string;
  readonly runId: string;
  /** Who asks, for the record. */
  readonly by: string;
  readonly timeoutMs?: number | undefined;
  /** The answer is not waited for any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a run answers that has taken a command. */
export interface Taken {
  /** The state after it. */
  readonly status: string;
  /** What comes of it, to follow the name of the run. */
  readonly effect: string;
  /** It comes later: something else ends first. */
  readonly isPending: boolean;
  /** To a question: its id, and the answer if there was one in time. */
  readonly question?: string | undefined;
  readonly answer?: string | undefined;
}

/**
 * Sends one command to a live run of another process. Resolves when the run has taken it; rejects with a PawlError of the
 * code InvalidState when the state does not allow it or the run is no longer live.
 */
export function sendCommand({ command, ...run }: RunAddress & { readonly command: LoopCommand }): Promise<Taken> {
  return send({ command }, run);
}

/** Tells a live run what its agent reports. Resolves when it is recorded; rejects as a command does. */
export function sendClaim({ report, ...run }: RunAddress & { readonly report: ClaimReport }): Promise<Taken> {
  return send(report, run);
}

/** Asks a person through a live run. Resolves with the answer, or without one when the run does not wait any longer. */
export function sendQuestion({ report, ...run }: RunAddress & { readonly report: QuestionReport }): Promise<Taken> {
  return send(report, run);
}

async function send(request: object, address: RunAddress): Promise<Taken> {
  const { socket, runId, by, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = address;
  if (!isSocketOf(runId, socket)) throw problem(`${socket} is not the control socket of ${runId}`);
  if (!isNotOthers(socket)) throw problem(`${socket} belongs to another user: nothing is sent there`);
  const line = await ask(socket, JSON.stringify({ run: runId, ...request, by }), timeoutMs, signal);
  const answer = parseAnswer(line);
  if (answer.ok === true) {
    const { status, effect = 'accepted it', pending, question, answer: text } = answer;
    return {
      status: String(status),
      effect: String(effect),
      isPending: pending === true,
      ...(typeof question === 'string' ? { question } : {}),
      ...(typeof text === 'string' ? { answer: text } : {}),
    };
  }
  throw new PawlError(answer.code === 'InvalidState' ? 'InvalidState' : 'ConfigError', String(answer.error));
}

function ask(path: string, request: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const timer = setTimeout(() => fail(problem(`the run did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
    const leave = () => fail(problem('Pawl no longer waits for the answer'));
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      socket.destroy();
    };
    const fail = (error: PawlError) => {
      end();
      reject(error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    socket.on('error', (error) => fail(whyNotReached(error)));
    socket.on('connect', () => socket.write(`${request}\n`));
    readLine(socket, (line) => {
      end();
      resolve(line);
    });
    socket.on('close', () => fail(new PawlError('InvalidState', NOT_LIVE)));
  });
}

function readLine(socket: Socket, take: (line: string) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf(0x0a);
    if (end >= 0) take(bytes.toString('utf8', 0, end));
    else if (bytes.length > MOST_ANSWER_BYTES) socket.destroy(new Error('its answer is incomplete'));
  });
}

export const NOT_LIVE = 'the run is no longer live';
const GONE = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE']);

function whyNotReached(error: Error & { readonly code?: string }): PawlError {
  if (GONE.has(error.code ?? '')) return new PawlError('InvalidState', NOT_LIVE, { cause: error });
  return problem(`the run cannot be reached: ${messageOf(error)}`);
}

function parseAnswer(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw problem('the answer of the run cannot be read');
}

function problem(message: string): PawlError {
  return new PawlError('FileSystemError', message);
}
