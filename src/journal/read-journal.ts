import { open } from 'node:fs/promises';
import { FileSystemError, JournalDamaged } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { OPEN_TO_READ } from './disk.js';
import { createRecordScanner, type TornTail } from './record-scanner.js';
import { CHUNK_BYTES } from './scan-file.js';
import type { Upgrades } from './upgrade.js';

export interface ReadOptions {
  readonly fromSeq?: number | undefined;
  /** Read no further than this; the default is the end. */
  readonly untilOffset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of a torn tail after the last event. Without it a torn tail is thrown as JournalDamaged. */
  readonly onTorn?: ((torn: TornTail) => void) | undefined;
  readonly upgrades?: Upgrades | undefined;
}

/** The events of a journal file, read with bounded memory. An incomplete last line is being written: it is not an error. */
export async function* readJournal(path: string, options: ReadOptions = {}): AsyncGenerator<RunEvent, void, void> {
  const { fromSeq = 1, untilOffset = Number.POSITIVE_INFINITY, signal, onTorn, upgrades } = options;
  const scanner = createRecordScanner({ path, ...(upgrades === undefined ? {} : { upgrades }) });
  const file = await open(path, OPEN_TO_READ).catch((error: unknown) => {
    throw new FileSystemError('open', path, error);
  });
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; position < untilOffset; ) {
      if (signal?.aborted === true) return;
      const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, untilOffset - position), position);
      if (bytesRead === 0) break;
      position += bytesRead;
      for (const event of scanner.feed(chunk.subarray(0, bytesRead))) if (event.seq >= fromSeq) yield event;
    }
    const torn = scanner.end();
    if (torn === undefined || torn.incomplete) return;
    if (onTorn === undefined) throw new JournalDamaged(path, torn.line, torn.what);
    onTorn(torn);
  } finally {
    await file.close();
  }
}
