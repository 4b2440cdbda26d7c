/**
 * J2: whole records are read in order; a torn tail is told apart from a damaged middle, and nothing is skipped silently.
 * A tail is torn when no valid record of a later number follows the first bad line: a crash or a loss of power leaves
 * that, and cutting it loses nothing that was recorded. Anything else is an error that names the line.
 */
import { JournalDamaged } from '../model/errors.js';
import { EVENT_TYPES, isEventType, type RunEvent } from '../model/run-event.js';
import { decodeRecord, MAX_LINE_BYTES } from './record-line.js';
import { UPGRADES, type Upgrades, upgradeRecord } from './upgrade.js';

const NEWLINE = 0x0a;
const RECORD_START = /\{"v":\d+,"seq":/g;
/** Of a bad line that may hide records behind a lost newline, so many beginnings are tried, from the last one back. */
const TRIED_STARTS = 16;

export interface TornTail {
  /** Of the first bad line, from 1. */
  readonly line: number;
  /** Where it begins. */
  readonly offset: number;
  readonly bytes: number;
  readonly what: string;
  /** One line without its end and nothing else: a reader takes it for a record that is being written. */
  readonly incomplete: boolean;
}

export interface ScanStart {
  readonly path: string;
  /** Number of the last record before `offset`. */
  readonly seq?: number;
  readonly offset?: number;
  readonly upgrades?: Upgrades;
}

export interface RecordScanner {
  /** Number of the last whole record. As every record is one line, also its line. */
  readonly seq: number;
  /** End of the last whole record. */
  readonly offset: number;
  /** Bytes of the last whole record with its newline; 0 when none was read. */
  readonly lineBytes: number;
  /** The whole records that end in this chunk. The chunk may be used again afterwards, but not its contents. */
  feed(chunk: Buffer): readonly RunEvent[];
  /** To be called when there is no more: what follows the last whole record, if anything. */
  end(): TornTail | undefined;
}

export function createRecordScanner({ path, seq = 0, offset = 0, upgrades = UPGRADES }: ScanStart): RecordScanner {
  let lineBytes = 0;
  let fed = offset;
  let torn: { readonly line: number; readonly what: string } | undefined;
  /** The beginning of a line whose end is not there yet. */
  let begun: Buffer[] = [];
  let begunBytes = 0;

  const takeBad = (line: Buffer | undefined, what: string): void => {
    torn ??= { line: seq + 1, what };
    if (line !== undefined && hidesLaterRecord(line, seq + 1)) throw new JournalDamaged(path, torn.line, torn.what);
  };

  const take = (line: Buffer, events: RunEvent[]): void => {
    if (torn !== undefined) return takeBad(line, torn.what);
    const record = decodeRecord(line);
    if (typeof record === 'string') return takeBad(line, record);
    if (record.seq > seq + 1)
      throw new JournalDamaged(path, seq + 1, `record ${seq + 1} is missing before ${record.seq}`);
    if (record.seq <= seq) return takeBad(undefined, `record ${record.seq} stands here a second time`);
    events.push(currentShape(record, path, upgrades));
    seq = record.seq;
    lineBytes = line.length + 1;
    offset += lineBytes;
  };

  const begin = (part: Buffer): void => {
    begunBytes += part.length;
    if (begunBytes > MAX_LINE_BYTES) begun = [];
    else begun.push(Buffer.from(part));
  };

  const endLine = (part: Buffer, events: RunEvent[]): void => {
    const length = begunBytes + part.length;
    if (length > MAX_LINE_BYTES) takeBad(undefined, `it is longer than ${MAX_LINE_BYTES} bytes`);
    else take(begunBytes === 0 ? part : Buffer.concat([...begun, part], length), events);
    begun = [];
    begunBytes = 0;
  };

  return {
    get seq() {
      return seq;
    },
    get offset() {
      return offset;
    },
    get lineBytes() {
      return lineBytes;
    },
    feed(chunk) {
      const events: RunEvent[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        endLine(chunk.subarray(start, end), events);
        start = end + 1;
      }
      if (start < chunk.length) begin(chunk.subarray(start));
      fed += chunk.length;
      return events;
    },
    end() {
      const bytes = fed - offset;
      if (bytes === 0) return undefined;
      // A record whose newline is missing was never reported as written, so it is no proof of a damaged middle.
      const { line, what } = torn ?? { line: seq + 1, what: 'it has no end' };
      return { line, offset, bytes, what, incomplete: torn === undefined };
    },
  };
}

/** Whether the line is, or ends with, a whole record numbered `fromSeq` or more. */
function hidesLaterRecord(line: Buffer, fromSeq: number): boolean {
  const starts = [...line.toString('latin1').matchAll(RECORD_START)].slice(-TRIED_STARTS);
  return starts.some(({ index }) => {
    const record = decodeRecord(Buffer.from(line.subarray(index)));
    return typeof record !== 'string' && record.seq >= fromSeq;
  });
}

/** A whole record that this version does not know was written by a newer one: it must not be cut off or passed over. */
function currentShape(record: RunEvent, path: string, upgrades: Upgrades): RunEvent {
  const current = versionOf(record.type);
  if (current === record.v) return record;
  const upgraded = current !== undefined && record.v > current ? undefined : upgradeRecord(record, versionOf, upgrades);
  if (upgraded !== undefined) return upgraded;
  const what = `a record of type ${record.type}, version ${record.v}, which this Pawl does not know`;
  throw new JournalDamaged(path, record.seq, `${what}: it was written by a newer Pawl`);
}

function versionOf(type: string): number | undefined {
  return isEventType(type) ? EVENT_TYPES[type].v : undefined;
}
