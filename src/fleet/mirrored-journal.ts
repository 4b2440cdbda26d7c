import {
  errnoOf,
  isMissing,
  NODE_DISK,
  onDisk,
  OPEN_TO_WRITE,
  openNewFile,
  readFully,
  removeFile,
  writeFully,
} from '../journal/disk.js';
import { MAX_LINE_BYTES } from '../journal/record-scanner.js';
import type { EventLine } from './send-events.js';

export const PAGE_LINES = 500;

/** Up to `PAGE_LINES` recorded lines from a number on, in order. */
export type ReadPage = (fromSeq: number) => Promise<readonly EventLine[]>;

const NEWLINE = 0x0a;
const FIRST_LOOK_BYTES = 64 * 1024;
/** What stands there instead of a file of ours. */
const NOT_OURS: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO', 'EISDIR']);

/** The last whole line of a file, and what stands behind it. */
interface FileEnd {
  readonly seq: number;
  /** Where the line ends. */
  readonly offset: number;
  readonly line: string;
  readonly tail: Buffer;
}

const EMPTY: FileEnd = { seq: 0, offset: 0, line: '', tail: Buffer.alloc(0) };

/**
 * Brings a file to what is recorded, and returns the number of its last line. Whoever does so at the same time writes the
 * same bytes at the same places, so that no lock is needed. A file that does not continue is replaced as a whole.
 */
export async function mirrorJournal(path: string, readPage: ReadPage): Promise<number> {
  const descriptor = openFound(path);
  if (descriptor !== undefined) {
    try {
      const end = endOfFile(descriptor);
      const page = end === undefined ? [] : await readPage(Math.max(1, end.seq));
      if (end !== undefined && isContinued(end, page)) return await writeLines(path, descriptor, end, page, readPage);
    } finally {
      NODE_DISK.closeSync(descriptor);
    }
  }
  return writeAnew(path, readPage);
}

function openFound(path: string): number | undefined {
  try {
    const descriptor = NODE_DISK.openSync(path, OPEN_TO_WRITE);
    if (NODE_DISK.fstatSync(descriptor).isFile()) return descriptor;
    NODE_DISK.closeSync(descriptor);
    return undefined;
  } catch (error) {
    if (isMissing(error) || NOT_OURS.has(errnoOf(error))) return undefined;
    return onDisk('open', path, () => {
      throw error;
    });
  }
}

/** Undefined when the file does not end as one of ours does. */
function endOfFile(descriptor: number): FileEnd | undefined {
  const { size } = NODE_DISK.fstatSync(descriptor);
  for (let lookBytes = FIRST_LOOK_BYTES; ; lookBytes *= 8) {
    const start = Math.max(0, size - lookBytes);
    const bytes = Buffer.alloc(size - start);
    const found = bytes.subarray(0, readFully(NODE_DISK, descriptor, bytes, start));
    const last = found.lastIndexOf(NEWLINE);
    const before = last <= 0 ? -1 : found.lastIndexOf(NEWLINE, last - 1);
    if (start > 0 && before === -1) {
      if (lookBytes > 2 * MAX_LINE_BYTES) return undefined;
      continue;
    }
    if (last === -1) return { ...EMPTY, tail: found };
    const line = found.toString('utf8', before + 1, last);
    const seq = seqOf(line);
    return seq === undefined ? undefined : { seq, offset: start + last + 1, line, tail: found.subarray(last + 1) };
  }
}

function seqOf(line: string): number | undefined {
  try {
    const { seq } = JSON.parse(line) as { readonly seq?: unknown };
    return typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : undefined;
  } catch {
    return undefined;
  }
}

/** A line that is cut off is being written by another, or was when its process ended. */
function isContinued({ seq, line, tail }: FileEnd, page: readonly EventLine[]): boolean {
  if (seq > 0 && !page.some((recorded) => recorded.seq === seq && recorded.line === line)) return false;
  if (tail.length === 0) return true;
  const next = page.find((recorded) => recorded.seq === seq + 1);
  return next !== undefined && Buffer.from(`${next.line}\n`).subarray(0, tail.length).equals(tail);
}

async function writeAnew(path: string, readPage: ReadPage): Promise<number> {
  const draft = `${path}.new-${process.pid}`;
  removeFile(NODE_DISK, draft);
  const descriptor = onDisk('write', draft, () => openNewFile(NODE_DISK, draft));
  try {
    const seq = await writeLines(draft, descriptor, EMPTY, await readPage(1), readPage);
    onDisk('replace', path, () => NODE_DISK.renameSync(draft, path));
    return seq;
  } catch (error) {
    removeFile(NODE_DISK, draft);
    throw error;
  } finally {
    NODE_DISK.closeSync(descriptor);
  }
}

async function writeLines(
  path: string,
  descriptor: number,
  from: FileEnd,
  first: readonly EventLine[],
  readPage: ReadPage,
): Promise<number> {
  let { seq, offset } = from;
  for (let page = first; ; ) {
    const last = seq;
    const lines = page.filter((recorded) => recorded.seq > last);
    // What comes after a gap is not a record.
    const whole = lines.filter((recorded, index) => recorded.seq === last + 1 + index);
    const bytes = Buffer.from(whole.map(({ line }) => `${line}\n`).join(''));
    const position = offset;
    onDisk('write', path, () => writeFully(NODE_DISK, descriptor, bytes, position));
    seq += whole.length;
    offset += bytes.length;
    if (page.length < PAGE_LINES || whole.length < lines.length) return seq;
    // oxlint-disable-next-line no-await-in-loop -- one page is in memory
    page = await readPage(seq + 1);
  }
}
