import { open } from 'node:fs/promises';
import { FileSystemError } from '../model/errors.js';
import { reduce } from '../model/reduce.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { OPEN_TO_READ } from './disk.js';
import { createRecordScanner, type TornTail } from './record-scanner.js';
import type { Upgrades } from './upgrade.js';

const CHUNK_BYTES = 1024 * 1024;

export interface VerifiedJournal {
  readonly events: number;
  readonly state: RunState;
  /** What follows the last whole record. */
  readonly torn?: TornTail;
}

/**
 * Reads a journal in full and checks every record. A damaged middle is thrown as JournalDamaged; a torn tail is
 * reported. Nothing is changed.
 */
export async function verifyJournal(
  path: string,
  options?: { readonly upgrades?: Upgrades },
): Promise<VerifiedJournal> {
  const scanner = createRecordScanner({ path, ...options });
  let state = INITIAL_STATE;
  const file = await open(path, OPEN_TO_READ).catch((error: unknown) => {
    throw new FileSystemError('open', path, error);
  });
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      for (const event of scanner.feed(chunk.subarray(0, bytesRead))) state = reduce(state, event);
    }
    const torn = scanner.end();
    return { events: scanner.seq, state, ...(torn === undefined ? {} : { torn }) };
  } finally {
    await file.close();
  }
}
