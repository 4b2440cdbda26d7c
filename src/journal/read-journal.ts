import { JournalDamaged } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { fileChunks } from './file-chunks.js';
import { RecordScanner, type TornTail } from './record-scanner.js';
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
