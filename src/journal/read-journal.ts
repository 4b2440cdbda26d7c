import { type FileHandle, open } from 'node:fs/promises';
import { FileSystemError, JournalDamaged } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { OPEN_TO_READ } from './disk.js';
import { ownLink } from './run-places.js';
import { RecordScanner, type TornTail, CHUNK_BYTES } from './record-scanner.js';
import type { Upgrades } from './upgrade.js';

export interface ReadOptions {
  readonly fromSeq?: number | undefined;
  /** Read no further than this; the default is the end. */
  readonly untilOffset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of a torn tail after the last event. Without it a torn tail is thrown as JournalDamaged. */
  readonly onTorn?: ((torn: TornTail) => void) | undefined;
  /** Told of an incomplete last line. */
  readonly onIncomplete?: ((torn: TornTail) => void) | undefined;
  readonly upgrades?: Upgrades | undefined;
}

/** The events of a journal file, read with bounded memory. An incomplete last line is being written: it is not an error. */
export async function* readJournal(path: string, options: ReadOptions = {}): AsyncGenerator<RunEvent, void, void> {
  const { fromSeq = 1, untilOffset, signal, onTorn, onIncomplete, upgrades } = options;
  const scanner = new RecordScanner({ path, upgrades });
  for await (const chunk of fileChunks(path, untilOffset)) {
    if (signal?.aborted === true) return;
    for (const event of scanner.feed(chunk)) if (event.seq >= fromSeq) yield event;
  }
  const torn = scanner.end();
  if (torn?.incomplete === true) onIncomplete?.(torn);
  if (torn === undefined || torn.incomplete) return;
  if (onTorn === undefined) throw new JournalDamaged(path, torn.line, torn.what);
  onTorn(torn);
}

/** The bytes of a regular file, chunk by chunk. A chunk is good until the next one is asked for. */
export async function* fileChunks(
  path: string,
  untilOffset = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer, void, void> {
  const file = await openToRead(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; ; ) {
      const bytesRead = await readInto(chunk, file, path, position, Math.min(CHUNK_BYTES, untilOffset - position));
      if (bytesRead === 0) return;
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(ownLink(path), OPEN_TO_READ);
  } catch (error) {
    throw new FileSystemError('open', path, error);
  }
}

async function readInto(
  chunk: Buffer,
  file: FileHandle,
  path: string,
  position: number,
  length: number,
): Promise<number> {
  try {
    return (await file.read(chunk, 0, length, position)).bytesRead;
  } catch (error) {
    throw new FileSystemError('read', path, error);
  }
}
