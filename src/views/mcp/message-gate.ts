import { Transform, type TransformCallback } from 'node:stream';
import { callbackify } from 'node:util';
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../../model/field-rules.js';

const NEWLINE = 0x0a;

export interface GateOptions {
  readonly mostMessageBytes: number;
  /** Writes one line to the client. Resolves when there is room for more, or nobody reads any more. */
  readonly answer: (line: string) => Promise<void>;
  /** What was refused, in words. */
  readonly onRefused: (why: string) => void;
}

/** Lets messages of the protocol through, line by line. Everything else is answered with an error, and the next one is read. */
export class MessageGate extends Transform {
  readonly #options: GateOptions;
  #waiting: Buffer[] = [];
  #bytes = 0;

  constructor(options: GateOptions) {
    super();
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    callbackify(() => this.#read(chunk))(done);
  }

  override _flush(done: TransformCallback): void {
    callbackify(() => this.#endLine())(done);
  }

  async #read(chunk: Buffer): Promise<void> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      // oxlint-disable-next-line no-await-in-loop -- who does not read the answers is not read any further
      await this.#endLine();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** Of a line that is too long, only how long it is. */
  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#options.mostMessageBytes) this.#waiting = [];
    else if (part.length > 0) this.#waiting.push(part);
  }

  async #endLine(): Promise<void> {
    const { mostMessageBytes, answer, onRefused } = this.#options;
    const bytes = this.#bytes;
    const line = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    const refusal = bytes > mostMessageBytes ? tooLong(bytes, mostMessageBytes) : refusalOf(line.toString('utf8'));
    if (refusal === undefined) {
      if (bytes > 0) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
      return;
    }
    onRefused(refusal.message);
    const { id, code, message } = refusal;
    await answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }
}

interface Refusal {
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
}

function tooLong(bytes: number, most: number): Refusal {
  const message = `a message has at most ${most} bytes, and this one has ${bytes}: send less at a time`;
  return { id: null, code: INVALID_REQUEST, message };
}

/** Undefined for a message of the protocol, and for an empty line. */
function refusalOf(line: string): Refusal | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, code: PARSE_ERROR, message: 'a message is one line of JSON, and this one is none' };
  }
  try {
    parseJSONRPCMessage(value);
    return undefined;
  } catch {
    return { id: idOf(value), code: INVALID_REQUEST, message: 'this is JSON, and no message of JSON-RPC 2.0' };
  }
}

function idOf(value: unknown): string | number | null {
  const id = isRecord(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
