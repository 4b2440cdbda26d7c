import { type FSWatcher, watch } from 'node:fs';

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
