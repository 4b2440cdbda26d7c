import type { NewEvent, RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { messageOf } from '../model/errors.js';

/** Told of every event once it is recorded, in order, with the state after it. Must not throw: one that does is dropped. */
export type JournalListener = (event: RunEvent, state: RunState) => void;

/**
 * The record of one run, open for writing. Every implementation passes `test/contract/journal.contract.ts`.
 */
export interface Journal {
  /** The fold of everything recorded. */
  readonly state: RunState;
  /** The last reserve of disk space is in use: end the run, its last events still fit. */
  readonly diskFull: boolean;
  /**
   * Records an event and returns it as it is in the record. When it returns, the event survives the death of the
   * process; a boundary (see `EVENT_TYPES`) survives the loss of power too. When it throws, the event is not in `state`
   * and no one was told of it.
   */
  append(event: NewEvent, activeMs: number): RunEvent;
  /** Resolves when everything recorded so far survives the loss of power. Those who ask together share one sync. */
  synced?(): Promise<void>;
  subscribe(listener: JournalListener): () => void;
  /** What is recorded so far, from the event numbered `fromSeq` on. */
  read(fromSeq?: number): AsyncIterable<RunEvent>;
  close(): Promise<void>;
}

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
        // No one is told of a teller's failure; the list has the message.
      }
    },
  };
}

/** Called with what a listener threw; the listener is dropped. */
export type ListenerErrorHandler = (error: unknown) => void;

export interface Publisher {
  subscribe(listener: JournalListener): () => void;
  publish(event: RunEvent, state: RunState): void;
}

/** Tells every listener of every event in order, also when a listener appends while it is being told. */
export function createPublisher(onListenerError: ListenerErrorHandler = warnOfListener): Publisher {
  const listeners = new Map<symbol, JournalListener>();
  const queue: { readonly event: RunEvent; readonly state: RunState }[] = [];
  let publishing = false;

  const tell = (event: RunEvent, state: RunState): void => {
    for (const [key, listener] of Array.from(listeners)) {
      if (!listeners.has(key)) continue;
      try {
        listener(event, state);
      } catch (error) {
        listeners.delete(key);
        report(onListenerError, error);
      }
    }
  };

  return {
    subscribe(listener) {
      const key = Symbol('listener');
      listeners.set(key, listener);
      return () => {
        listeners.delete(key);
      };
    },
    publish(event, state) {
      queue.push({ event, state });
      if (publishing) return;
      publishing = true;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) tell(next.event, next.state);
      publishing = false;
    },
  };
}

/** An error handler that throws must not break the append either. */
function report(onListenerError: ListenerErrorHandler, error: unknown): void {
  try {
    onListenerError(error);
  } catch (second) {
    warnOfListener(second);
  }
}

function warnOfListener(error: unknown): void {
  process.emitWarning(`a listener of a journal threw and was dropped: ${messageOf(error)}`, 'PawlWarning');
}
