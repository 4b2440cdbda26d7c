import type { NewEvent, RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';

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
   * Records an event and returns it as it stands in the record. When it returns, the event survives the death of the
   * process; a boundary (see `EVENT_TYPES`) survives the loss of power too. When it throws, the event is not in `state`
   * and nobody was told of it.
   */
  append(event: NewEvent, activeMs: number): RunEvent;
  /** Resolves when everything recorded so far survives the loss of power. Those who ask together share one sync. */
  synced?(): Promise<void>;
  subscribe(listener: JournalListener): () => void;
  /** What is recorded so far, from the event numbered `fromSeq` on. */
  read(fromSeq?: number): AsyncIterable<RunEvent>;
  close(): Promise<void>;
}
