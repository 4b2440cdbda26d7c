import { type FSWatcher, watch } from 'node:fs';
import type { RunEvent } from '../model/run-event.js';
import { TailedFile } from './tailed-file.js';

const POLL_MS = 200;

interface TailOptions {
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

export interface ChangeWatch {
  /** Resolves when the file may have changed: on a report of the system, after a while in any case, or on abort. */
  next(): Promise<void>;
  close(): void;
}

/** The system's reports make it quick; asking again makes it certain (network drives, replaced and missing files). */
export function createChangeWatch(path: string, pollMs: number, signal?: AbortSignal): ChangeWatch {
  let watcher: FSWatcher | undefined;
  let changed = false;
  let wake: (() => void) | undefined;

  const stopWatching = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const onChange = (event: string): void => {
    changed = true;
    // The name leads elsewhere now: watch what it leads to next time.
    if (event === 'rename') stopWatching();
    wake?.();
  };
  const startWatching = (): void => {
    try {
      watcher = watch(path, { persistent: false }, onChange).on('error', stopWatching);
    } catch {
      // Nothing to watch yet, or no more watches to be had: asking again will do.
    }
  };
  const onAbort = (): void => wake?.();
  signal?.addEventListener('abort', onAbort);

  return {
    async next() {
      if (watcher === undefined) startWatching();
      if (!changed && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      changed = false;
    },
    close() {
      stopWatching();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
