import { reduce } from '../model/reduce.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { fileChunks } from './read-journal.js';
import { RecordScanner, type TornTail } from './record-scanner.js';
import type { Upgrades } from './upgrade.js';

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
  const scanner = new RecordScanner({ path, ...options });
  let state = INITIAL_STATE;
  for await (const chunk of fileChunks(path)) {
    for (const event of scanner.feed(chunk)) state = reduce(state, event);
  }
  const torn = scanner.end();
  return { events: scanner.seq, state, ...(torn === undefined ? {} : { torn }) };
}
