/**
 * J2: whole records are read in order; a torn tail is told apart from a damaged middle, and nothing is skipped silently.
 * A tail is torn when no whole record of a later number follows the first bad line: a crash leaves that, and cutting it
 * loses nothing that was recorded. Anything else is an error that names the line.
 *
 * A loss of power can leave more, because live records reach the disk in any order until the next sync: a hole with live
 * records behind it. Where the records may never have been synced, only a boundary behind the bad line that is followed by
 * another record is proof of damage: nothing is written before the sync of a boundary, and of everything before it, is done.
 */
import { JournalDamaged } from '../model/errors.js';
import { EVENT_TYPES, type EventType, isEventType, type RunEvent } from '../model/run-event.js';
import type { Check } from '../model/recorded-shapes.js';
import { decodeRecord, MAX_LINE_BYTES, skimRecord } from './record-line.js';
import { UPGRADES, type Upgrades, upgradeRecord } from './upgrade.js';
import type { Disk } from './disk.js';

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

export interface ScanStart {
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
    if (record.seq < next) return this.#takeBad(undefined, `record ${record.seq} stands here a second time`);
    events.push(skimmed ?? this.#inShape(currentShape(record, this.#path, this.#upgrades)));
    this.#seq = next;
    this.#lineBytes = line.length + 1;
    this.#offset += this.#lineBytes;
  }

  #inShape(record: RunEvent): RunEvent {
    const field = misshapenField(record);
    if (field === undefined) return record;
    const what = `a record of type ${record.type} whose ${field} cannot be one: no Pawl has written it`;
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
  const what = `a record of type ${record.type}, version ${record.v}, which this Pawl does not know`;
  throw new JournalDamaged(path, record.seq, `${what}: it was written by a newer Pawl`);
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
