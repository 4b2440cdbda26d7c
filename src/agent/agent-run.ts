import type { RunEvent } from '../model/run-event.js';
import type { RunSource } from '../run/live-handle.js';
import { RunHandle } from '../run/run-handle.js';
import type { RecordPlace } from './recorded-conversations.js';

/** A run whose record its own agent reads. */
export class AgentRun extends RunHandle {
  readonly #folder: string | undefined;

  constructor(source: RunSource) {
    super(source);
    this.#folder = source.folder;
  }

  get record(): RecordPlace {
    return { read: (): AsyncIterable<RunEvent> => this.readRecord(), folder: this.#folder };
  }
}
