/** Must not throw: what it throws is dropped, and the warning stays in the list. */
export type WarningHandler = (message: string) => void;

/** What went wrong without harm to the record. Each message is kept and told once. */
export interface Warnings {
  readonly list: readonly string[];
  warn(message: string): void;
}

/** A disk that fails in ever new words must not fill the memory. */
const MOST_KEPT = 100;

/** `reason` is the one behind everything that goes wrong at the moment, if there is such a thing: it is reported instead. */
export function createWarnings(onWarning?: WarningHandler, reason?: () => string | undefined): Warnings {
  const list: string[] = [];
  return {
    list,
    warn(what) {
      const message = reason?.() ?? what;
      if (list.includes(message) || list.length >= MOST_KEPT) return;
      list.push(message);
      try {
        onWarning?.(message);
      } catch {
        // Nobody is told of a teller's failure; the list has the message.
      }
    },
  };
}
