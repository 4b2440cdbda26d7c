import { Transform, type TransformCallback } from 'node:stream';
import { callbackify } from 'node:util';
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../../model/show-value.js';

const NEWLINE = 0x0a;

export interface GateOptions {
  readonly mostMessageBytes: number;
  /** Writes one line to the client. Resolves when there is room for more, or no one reads any more. */
  readonly answer: (line: string) => Promise<void>;
  /** What was refused, in words. */
  readonly onRefused: (why: string) => void;
}

/** Lets messages of the protocol through, line by line. Everything else is answered with an error, and the next one is read. */
export class MessageGate extends Transform {
  readonly #options: GateOptions;
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** How a line begins and ends, of which nothing else is kept: its id may be in either. */
  #head = '';
  #tail = '';

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
    if (this.#head.length < ENDS_BYTES) this.#head += part.toString('latin1', 0, ENDS_BYTES - this.#head.length);
    this.#tail = (this.#tail + part.toString('latin1', Math.max(0, part.length - ENDS_BYTES))).slice(-ENDS_BYTES);
    if (this.#bytes > this.#options.mostMessageBytes) this.#waiting = [];
    else if (part.length > 0) this.#waiting.push(part);
  }

  async #endLine(): Promise<void> {
    const { mostMessageBytes, answer, onRefused } = this.#options;
    const bytes = this.#bytes;
    const line = Buffer.concat(this.#waiting);
    const isTooLong = bytes > mostMessageBytes;
    const refusal = isTooLong
      ? { ...tooLong(bytes, mostMessageBytes), id: idIn(this.#head, this.#tail) }
      : refusalOf(line.toString('utf8'));
    this.#waiting = [];
    this.#bytes = 0;
    this.#head = '';
    this.#tail = '';
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

const ENDS_BYTES = 256;
const ID = '"id"\\s*:\\s*(-?\\d+|"[^"\\\\]*")';
const OTHERS = '"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]*"';
/** The usual places of an id: before `params`, or after it at the very end. */
const ID_FIRST = new RegExp(`^\\s*\\{(?:\\s*${OTHERS}\\s*,)*\\s*${ID}`);
const ID_LAST = new RegExp(`\\}\\s*(?:,\\s*${OTHERS}\\s*)*,\\s*${ID}\\s*(?:,\\s*${OTHERS}\\s*)*\\}\\s*$`);

/** The id of a message of which only the ends are kept: without it, whoever has sent it would wait for ever. */
function idIn(head: string, tail: string): Refusal['id'] {
  const found = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
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
    return { id: null, code: PARSE_ERROR, message: 'a message is one line of JSON, and this is not' };
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
