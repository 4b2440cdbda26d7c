import { crc32 } from 'node:zlib';
import { EVENT_TYPES, type NewEvent, type RunEvent } from '../model/run-event.js';

/**
 * One record is one line: `{"v":1,"seq":12,"at":"...","activeMs":5,"type":"...",...,"sum":"1a2b3c4d"}`. The sum is the
 * CRC-32 of the bytes before `,"sum":"`, so that a line is checked as it lies on disk, without being written anew.
 */
const SUM_BYTES = 8;
const TRAILER = `,"sum":"${'0'.repeat(SUM_BYTES)}"}`;
const TRAILER_BYTES = TRAILER.length;
const TRAILER_HEAD = Buffer.from(',"sum":"');
const CLOSING_BRACE = 0x7d;
const QUOTE = 0x22;

/** A longer line is not ours. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface Stamp {
  readonly seq: number;
  readonly at: string;
  readonly activeMs: number;
}

/** Takes secrets out of a serialised event; returns the text unchanged when there are none. */
export type RedactLine = (json: string) => string;

export interface EncodedRecord {
  /** With its newline. */
  readonly line: Buffer;
  /** The event as a reader will find it: what is folded and published is what is recorded. */
  readonly recorded: RunEvent;
}

export function encodeRecord(event: NewEvent, stamp: Stamp, redact?: RedactLine): EncodedRecord {
  if (!Number.isFinite(stamp.activeMs)) throw new TypeError(`activeMs is not a number: ${stamp.activeMs}`);
  const { v } = EVENT_TYPES[event.type];
  // The envelope is spread twice: first for its place in the line, then so that the event cannot bring its own.
  const envelope = { v, ...stamp };
  const record = { ...envelope, ...event, ...envelope };
  const plain = JSON.stringify(record);
  const json = redact === undefined ? plain : redact(plain);
  return { line: sealLine(json), recorded: JSON.parse(json) as RunEvent };
}

/** The bytes of a JSON object with its checksum as last key, and a newline. */
export function sealLine(json: string): Buffer {
  const line = Buffer.from(`${json.slice(0, -1)}${TRAILER}\n`);
  const bodyBytes = line.length - TRAILER_BYTES - 1;
  line.write(hexSum(line.subarray(0, bodyBytes)), bodyBytes + TRAILER_HEAD.length, 'latin1');
  return line;
}

/**
 * The object of a sealed line (without its newline), or what is wrong with it. Overwrites one byte of the checksum's key
 * in `line`, to read the object without it and without a copy.
 */
export function unsealLine(line: Buffer): object | string {
  const problem = problemOfSeal(line);
  if (problem !== undefined) return problem;
  const bodyBytes = line.length - TRAILER_BYTES;
  line[bodyBytes] = CLOSING_BRACE;
  try {
    // What ends with a brace is an object, or no JSON.
    return JSON.parse(line.toString('utf8', 0, bodyBytes + 1)) as object;
  } catch {
    return 'it is not JSON';
  }
}

function problemOfSeal(line: Buffer): string | undefined {
  const bodyBytes = line.length - TRAILER_BYTES;
  if (!hasTrailer(line, bodyBytes)) return 'it is not a whole record';
  const isRight = crc32(line.subarray(0, bodyBytes)) === sumAt(line, bodyBytes + TRAILER_HEAD.length);
  return isRight ? undefined : 'its checksum does not match';
}

/** The checksum of a sealed line without its newline, as it stands there. */
export function sumOfLine(line: Buffer): string {
  return line.toString('latin1', line.length - SUM_BYTES - 2, line.length - 2);
}

/** An event of the current or an older version, or what is wrong with the line. See `unsealLine` for the overwriting. */
export function decodeRecord(line: Buffer): RunEvent | string {
  const record = unsealLine(line);
  if (typeof record === 'string') return record;
  return isRecord(record) ? record : 'it has no envelope';
}

/** How the line of an event begins whose words change no state. */
const SKIMMED =
  /^\{"v":(\d+),"seq":(\d+),"at":"([ !#-[\]-~]*)","activeMs":([\d.]+),"type":"(agent-said|tool-called|tool-answered)"/;
const SKIMMED_BYTES = 160;
/** Within a text there would be a backslash before each quote. */
const MATCHES = Buffer.from(',"matches":');
const DENIED = Buffer.from(',"denied":true');

/**
 * The event of a sealed line without what the agent said or did, for a reader that only folds: the state after it is the
 * same, and no JSON is parsed. Undefined when the line must be read as a whole, or something is wrong with it.
 */
export function skimRecord(line: Buffer): RunEvent | undefined {
  const head = SKIMMED.exec(line.toString('latin1', 0, Math.min(line.length, SKIMMED_BYTES)));
  if (head === null) return undefined;
  const type = head[5] as 'agent-said' | 'tool-called' | 'tool-answered';
  const v = Number(head[1]);
  if (v !== EVENT_TYPES[type].v || problemOfSeal(line) !== undefined) return undefined;
  const seq = Number(head[2]);
  const at = head[3] ?? '';
  const activeMs = Number(head[4]);
  switch (type) {
    case 'agent-said':
      return line.includes(MATCHES) ? undefined : { v, seq, at, activeMs, type, text: '' };
    case 'tool-called':
      return { v, seq, at, activeMs, type, name: '' };
    case 'tool-answered':
      return { v, seq, at, activeMs, type, ...(line.includes(DENIED) ? { denied: true } : {}) };
    default:
      return type satisfies never;
  }
}

function isRecord(value: object): value is RunEvent {
  const { v, seq, at, activeMs, type } = value as Partial<Record<string, unknown>>;
  return (
    Number.isSafeInteger(v) &&
    Number.isSafeInteger(seq) &&
    typeof at === 'string' &&
    typeof activeMs === 'number' &&
    typeof type === 'string'
  );
}

function hasTrailer(line: Buffer, bodyBytes: number): boolean {
  if (bodyBytes <= 0 || line[line.length - 1] !== CLOSING_BRACE || line[line.length - 2] !== QUOTE) return false;
  for (let index = 0; index < TRAILER_HEAD.length; index += 1) {
    if (line[bodyBytes + index] !== TRAILER_HEAD[index]) return false;
  }
  return true;
}

function hexSum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(SUM_BYTES, '0');
}

/** Lower-case hexadecimal only: a flipped case is a flipped bit. */
function sumAt(line: Buffer, start: number): number | undefined {
  let sum = 0;
  for (let index = start; index < start + SUM_BYTES; index += 1) {
    const byte = line.readUInt8(index);
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
    if (digit < 0) return undefined;
    sum = sum * 16 + digit;
  }
  return sum;
}
