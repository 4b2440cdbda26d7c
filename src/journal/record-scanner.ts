import { crc32 } from 'node:zlib';
import { JournalDamaged } from '../model/errors.js';
import type { Check } from '../model/recorded-shapes.js';
import { EVENT_TYPES, type EventType, isEventType, type RunEvent, type NewEvent } from '../model/run-event.js';
import type { Disk } from './disk.js';
import { UPGRADES, type Upgrades, upgradeRecord } from './upgrade.js';

/**
 * One record is one line: `{"v":1,"seq":12,"at":"...","activeMs":5,"type":"...",...,"sum":"1a2b3c4d"}`. The sum is the
 * CRC-32 of the bytes before `,"sum":"`, so that a line is checked as it lies on disk, without being written again.
 */
const SUM_BYTES = 8;
const TRAILER = `,"sum":"${'0'.repeat(SUM_BYTES)}"}`;
const TRAILER_BYTES = TRAILER.length;
const TRAILER_HEAD = Buffer.from(',"sum":"');
const CLOSING_BRACE = 0x7d;
const QUOTE = 0x22;

/** A longer line is not ours. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

interface Stamp {
  readonly seq: number;
  readonly at: string;
  readonly activeMs: number;
}

/** Takes secrets out of a serialised event; returns the text unchanged when there are none. */
export type RedactLine = (json: string) => string;

interface EncodedRecord {
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

/** The checksum of a sealed line without its newline, as it is there. */
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
  /^\{"v":(\d+),"seq":(\d+),"at":"([ !#-[\]-~]*)","activeMs":([\d.]+),"type":"(agent-said|tool-answered)"/;
const SKIMMED_BYTES = 160;
/** Within a text there would be a backslash before each quote. */
const MATCHES = Buffer.from(',"matches":');
const FAILED = Buffer.from(',"failed":true');
const DENIED = Buffer.from(',"denied":true');

/**
 * The event of a sealed line without what the agent said or did, for a reader that only folds: the state after it is the
 * same, and no JSON is parsed. Undefined when the line must be read as a whole, or something is wrong with it.
 */
export function skimRecord(line: Buffer): RunEvent | undefined {
  const head = SKIMMED.exec(line.toString('latin1', 0, Math.min(line.length, SKIMMED_BYTES)));
  if (head === null) return undefined;
  const type = head[5] as 'agent-said' | 'tool-answered';
  const v = Number(head[1]);
  if (v !== EVENT_TYPES[type].v || problemOfSeal(line) !== undefined) return undefined;
  const seq = Number(head[2]);
  const at = head[3] ?? '';
  const activeMs = Number(head[4]);
  switch (type) {
    case 'agent-said':
      return line.includes(MATCHES) ? undefined : { v, seq, at, activeMs, type, text: '' };
    case 'tool-answered':
      return {
        v,
        seq,
        at,
        activeMs,
        type,
        ...(line.includes(FAILED) ? { failed: true } : {}),
        ...(line.includes(DENIED) ? { denied: true } : {}),
      };
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

/**
 * J2: whole records are read in order; a torn tail is told apart from a damaged middle, and nothing is skipped silently.
 * A tail is torn when no whole record of a later number follows the first bad line: a crash leaves that, and cutting it
 * loses nothing that was recorded. Anything else is an error that names the line.
 *
 * A loss of power can leave more, because live records reach the disk in any order until the next sync: a hole with live
 * records behind it. Where the records may never have been synced, only a boundary behind the bad line that is followed by
 * another record is proof of damage: nothing is written before the sync of a boundary, and of everything before it, is done.
 */

const NEWLINE = 0x0a;
const RECORD_START = /\{"v":\d+,"seq":/g;
/** Of a bad line that may hide records behind a lost newline, so many beginnings are tried, from the last one back. */
const TRIED_STARTS = 16;
const VERSIONS: ReadonlyMap<string, number> = new Map(Object.entries(EVENT_TYPES).map(([type, { v }]) => [type, v]));

export interface TornTail {
  /** Of the first bad line, from 1. */
  readonly line: number;
  /** Where it begins. */
  readonly offset: number;
  readonly bytes: number;
  readonly what: string;
  /** One line without its end and nothing else: a reader takes it for a record that is being written. */
  readonly incomplete: boolean;
  /** Whole live records behind the bad line, which cannot be used without what is missing before them. */
  readonly lostRecords: number;
}

interface ScanStart {
  readonly path: string;
  /** Number of the last record before `offset`. */
  readonly seq?: number;
  readonly offset?: number;
  /** What follows `offset` may never have been synced, but for its boundaries. */
  readonly isUnsynced?: boolean;
  readonly upgrades?: Upgrades | undefined;
  /** The reader only folds: events may come without what the agent said or did. */
  readonly skims?: boolean;
}

/** Reads records from chunks of bytes, as they come. */
export class RecordScanner {
  readonly #path: string;
  readonly #upgrades: Upgrades;
  readonly #isUnsynced: boolean;
  readonly #skims: boolean;
  #seq: number;
  #offset: number;
  #lineBytes = 0;
  #fedBytes: number;
  #torn: { readonly line: number; readonly what: string } | undefined;
  #lostRecords = 0;
  /** Behind the bad line stands a boundary: if anything follows, its sync was done. */
  #wasSynced = false;
  /** The beginning of a line whose end is not there yet. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor({ path, seq = 0, offset = 0, isUnsynced = false, upgrades = UPGRADES, skims = false }: ScanStart) {
    this.#path = path;
    this.#isUnsynced = isUnsynced;
    this.#upgrades = upgrades;
    this.#skims = skims;
    this.#seq = seq;
    this.#offset = offset;
    this.#fedBytes = offset;
  }

  /** Number of the last whole record. As every record is one line, also its line. */
  get seq(): number {
    return this.#seq;
  }

  /** End of the last whole record. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes of the last whole record with its newline; 0 when none was read. */
  get lineBytes(): number {
    return this.#lineBytes;
  }

  /** The whole records that end in this chunk. The chunk is overwritten in places, and may be used again afterwards. */
  feed(chunk: Buffer): readonly RunEvent[] {
    const events: RunEvent[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#endLine(chunk.subarray(start, end), events);
      start = end + 1;
    }
    this.#beginLine(chunk.subarray(start));
    this.#fedBytes += chunk.length;
    return events;
  }

  /** To be called when there is no more: what follows the last whole record, if anything. */
  end(): TornTail | undefined {
    const bytes = this.#fedBytes - this.#offset;
    if (bytes === 0) return undefined;
    // A record whose newline is missing was never reported as written, so it is no proof of a damaged middle.
    const { line, what } = this.#torn ?? { line: this.#seq + 1, what: 'it has no end' };
    const incomplete = this.#torn === undefined;
    return { line, offset: this.#offset, bytes, what, incomplete, lostRecords: this.#lostRecords };
  }

  #beginLine(part: Buffer): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > MAX_LINE_BYTES) this.#begun = [];
    else this.#begun.push(Buffer.from(part));
  }

  #endLine(part: Buffer, events: RunEvent[]): void {
    const length = this.#begunBytes + part.length;
    if (length > MAX_LINE_BYTES) this.#takeBad(undefined, `it is longer than ${MAX_LINE_BYTES} bytes`);
    else this.#take(this.#begunBytes === 0 ? part : Buffer.concat([...this.#begun, part], length), events);
    this.#begun = [];
    this.#begunBytes = 0;
  }

  #take(line: Buffer, events: RunEvent[]): void {
    if (this.#torn !== undefined) return this.#takeBad(line, this.#torn.what);
    const skimmed = this.#skims ? skimRecord(line) : undefined;
    const record = skimmed ?? decodeRecord(line);
    if (typeof record === 'string') return this.#takeBad(line, record);
    const next = this.#seq + 1;
    if (record.seq > next) return this.#takeBad(line, `record ${next} is missing before ${record.seq}`, record);
    if (record.seq < next) return this.#takeBad(undefined, `record ${record.seq} appears twice`);
    events.push(skimmed ?? this.#inShape(currentShape(record, this.#path, this.#upgrades)));
    this.#seq = next;
    this.#lineBytes = line.length + 1;
    this.#offset += this.#lineBytes;
  }

  #inShape(record: RunEvent): RunEvent {
    const field = misshapenField(record);
    if (field === undefined) return record;
    const what = `a record of type ${record.type} whose ${field} is not valid: Pawl did not write it`;
    throw new JournalDamaged(this.#path, record.seq, what);
  }

  #takeBad(line: Buffer | undefined, what: string, whole?: RunEvent): void {
    this.#torn ??= { line: this.#seq + 1, what };
    const later = whole ?? (line === undefined ? undefined : laterRecordIn(line, this.#seq + 1));
    if (later === undefined) return;
    if (!this.#isUnsynced || this.#wasSynced) throw new JournalDamaged(this.#path, this.#torn.line, this.#torn.what);
    this.#wasSynced = isBoundary(later);
    this.#lostRecords += 1;
  }
}

/** The checks of each type in a plain list: every record of a journal goes through them. */
const CHECKS = Object.fromEntries(
  Object.entries(EVENT_TYPES).map(([type, { shape }]) => [
    type,
    Object.entries<Check>(shape)
      .filter(([, { accepts }]) => accepts?.kind !== 'anything')
      .map(([name, check]) => ({ name, check })),
  ]),
) as unknown as Readonly<Record<EventType, readonly { readonly name: string; readonly check: Check }[]>>;

/**
 * The field of a record that is not of its type's shape, if there is one. The checksum is no secret: a record that came
 * with a repository has the right one, and anything in its fields.
 */
function misshapenField(record: RunEvent): string | undefined {
  const values = record as unknown as Readonly<Record<string, unknown>>;
  for (const { name, check } of CHECKS[record.type]) if (!check(values[name])) return name;
  return undefined;
}

/** A type that is not known may be a boundary. */
function isBoundary({ type }: RunEvent): boolean {
  return !isEventType(type) || EVENT_TYPES[type].synced;
}

/** The whole record numbered `fromSeq` or more that the line is or ends with; of several the first boundary. */
function laterRecordIn(line: Buffer, fromSeq: number): RunEvent | undefined {
  const starts = [...line.toString('latin1').matchAll(RECORD_START)].slice(-TRIED_STARTS);
  const found = starts.flatMap(({ index }) => {
    const record = decodeRecord(Buffer.from(line.subarray(index)));
    return typeof record === 'string' || record.seq < fromSeq ? [] : [record];
  });
  return found.find(isBoundary) ?? found[0];
}

/** A whole record that this version does not know was written by a newer one: it must not be cut off or passed over. */
function currentShape(record: RunEvent, path: string, upgrades: Upgrades): RunEvent {
  const upgraded = upgradeRecord(record, versionOf, upgrades);
  if (upgraded !== undefined) return upgraded;
  const what = `a record of type ${record.type}, version ${record.v}, which this version of Pawl does not know`;
  throw new JournalDamaged(path, record.seq, `${what}: it was written by a newer version of Pawl`);
}

function versionOf(type: string): number | undefined {
  return VERSIONS.get(type);
}

export const CHUNK_BYTES = 256 * 1024;

/** Feeds an open file to a scanner from its offset on, chunk by chunk. */
export function scanDescriptor(
  disk: Disk,
  descriptor: number,
  scanner: RecordScanner,
  onEvent: (event: RunEvent) => void,
): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = scanner.offset;
  for (;;) {
    const count = disk.readSync(descriptor, chunk, 0, CHUNK_BYTES, position);
    if (count === 0) return;
    position += count;
    for (const event of scanner.feed(chunk.subarray(0, count))) onEvent(event);
  }
}
