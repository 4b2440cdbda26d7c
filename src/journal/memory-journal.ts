import { type Journal, createPublisher, type ListenerErrorHandler } from './journal.js';
import { encodeRecord } from './record-scanner.js';
import type { Redactor } from './redact.js';
import { InvalidState } from '../model/errors.js';
import { reduce, reduceAll } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';

export interface MemoryJournal extends Journal {
  /** Everything recorded so far. */
  readonly events: readonly RunEvent[];
}

export interface MemoryJournalOptions {
  /** What an earlier journal had recorded, to continue from there. */
  readonly events?: readonly RunEvent[] | undefined;
  readonly now?: (() => number) | undefined;
  readonly redactor?: Redactor | undefined;
  readonly onListenerError?: ListenerErrorHandler | undefined;
}

/**
 * A journal without a disk. It records what a file would hold: an event comes back as JSON would bring it.
 *
 * @example
 * ```ts
 * const journal = memoryJournal();
 * journal.append({ type: 'paused', reason: 'lunch' }, 0);
 * journal.state.seq; // 1
 * ```
 */
export function memoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const { now = Date.now, redactor, onListenerError } = options;
  const events = [...(options.events ?? [])];
  const publisher = createPublisher(onListenerError);
  let state = reduceAll(events);
  let closed = false;
  return {
    events,
    diskFull: false,
    get state() {
      return state;
    },
    append(event, activeMs) {
      if (closed) throw new InvalidState('closed', 'append to');
      const stamp = { seq: state.seq + 1, at: new Date(now()).toISOString(), activeMs };
      const { recorded } = encodeRecord(event, stamp, redactor?.json);
      state = reduce(state, recorded);
      events.push(recorded);
      publisher.publish(recorded, state);
      return recorded;
    },
    subscribe: (listener) => publisher.subscribe(listener),
    async *read(fromSeq = 1) {
      for (const event of events.slice()) if (event.seq >= fromSeq) yield event;
    },
    async close() {
      closed = true;
    },
  };
}
