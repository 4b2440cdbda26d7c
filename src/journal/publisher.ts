import { messageOf } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { JournalListener } from './journal.js';

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
