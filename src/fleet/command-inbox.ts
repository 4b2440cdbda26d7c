import { messageOf } from '../model/errors.js';
import type { RunHandle } from '../run/run-handle.js';
import type { RunRecords } from './engine/engine.js';

export interface CommandInboxOptions {
  readonly runId: string;
  readonly records: Pick<RunRecords, 'commands' | 'commandsRecorded'>;
  readonly handle: Pick<RunHandle, 'send'>;
  /** Resolves when what was sent is recorded. */
  readonly journal: { synced(): Promise<void> };
  readonly onWarning: (message: string) => void;
}

/** Hands the commands for a run to it, each once, and lets go of them when the record tells of them. */
export class CommandInbox {
  readonly #options: CommandInboxOptions;
  readonly #sent = new Set<string>();
  #looking: Promise<void> = Promise.resolve();

  constructor(options: CommandInboxOptions) {
    this.#options = options;
  }

  /** Those who look together look one after the other. */
  look(): Promise<void> {
    const own = this.#looking.catch(() => undefined).then(() => this.#take());
    this.#looking = own;
    return own;
  }

  async #take(): Promise<void> {
    const { runId, records, handle, journal, onWarning } = this.#options;
    const waiting = await records.commands();
    for (const { id, command, by } of waiting) {
      if (this.#sent.has(id)) continue;
      this.#sent.add(id);
      // oxlint-disable-next-line no-await-in-loop -- in the order in which they were given
      await handle.send(command, by).catch((error: unknown) => onWarning(`${runId}: ${messageOf(error)}`));
    }
    if (waiting.length === 0) return;
    await journal.synced();
    await records.commandsRecorded(waiting.map(({ id }) => id));
  }
}
