import type { Journal } from '../journal/journal.js';
import { FileSystemError } from '../model/errors.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { ActiveClock } from './active-clock.js';

/** Writes a run's events. The first failure is kept: from then on nothing is recorded, and the run has to end. */
export class Recorder {
  readonly #journal: Journal;
  readonly #clock: ActiveClock;
  readonly #onRecorded: (event: NewEvent) => void;
  readonly #onBroken: () => void;
  #problem: unknown;

  constructor(options: {
    readonly journal: Journal;
    readonly clock: ActiveClock;
    readonly onRecorded: (event: NewEvent) => void;
    readonly onBroken: () => void;
  }) {
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#onRecorded = options.onRecorded;
    this.#onBroken = options.onBroken;
  }

  get state(): RunState {
    return this.#journal.state;
  }

  /** Records what happens in an iteration. Never throws: the iteration is ended instead. */
  readonly live = (event: NewEvent): void => {
    if (this.#problem !== undefined) return;
    try {
      this.#journal.append(event, this.#clock.ms);
      // What is left of the disk is for the last events.
      if (this.#journal.diskFull) throw new FileSystemError('write to', 'the record', 'the disk is full');
    } catch (error) {
      this.#problem = error;
      this.#onBroken();
      return;
    }
    this.#onRecorded(event);
  };

  /** Records a boundary. Throws when it cannot be, or could not be before. */
  boundary(event: NewEvent): void {
    this.check();
    this.live(event);
    this.check();
  }

  /** Records one of the last events, for which there is room on a full disk. */
  last(event: NewEvent): void {
    this.#journal.append(event, this.#clock.ms);
  }

  check(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }
}
