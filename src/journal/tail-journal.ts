import type { RunEvent } from '../model/run-event.js';
import { createChangeWatch } from './change-watch.js';
import { TailedFile } from './tailed-file.js';

const POLL_MS = 200;

export interface TailOptions {
  readonly fromSeq?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Between two looks when the system reports no change. */
  readonly pollMs?: number | undefined;
}

/**
 * The events of a journal, those that are there and then those that follow, until the signal aborts. The file need not
 * exist yet, and may be removed and put back. A bad line at the end is waited for: the next writer cuts it off.
 */
export async function* tailJournal(path: string, options: TailOptions = {}): AsyncGenerator<RunEvent, void, void> {
  const { fromSeq = 1, signal, pollMs = POLL_MS } = options;
  const file = new TailedFile(path);
  const changes = createChangeWatch(path, pollMs, signal);
  const isOver = () => signal?.aborted === true;
  try {
    while (!isOver()) {
      await file.look();
      for await (const events of file.read()) {
        for (const event of events) {
          if (isOver()) return;
          if (event.seq >= fromSeq) yield event;
        }
      }
      await changes.next();
    }
  } finally {
    changes.close();
    await file.close();
  }
}
