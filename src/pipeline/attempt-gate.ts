import { attemptBackoffMs } from '../model/item-state.js';
import type { RunState } from '../model/run-state.js';
import { hasRoom } from './attempt-room.js';
import type { Bell } from './run-items.js';

export interface AttemptGateOptions {
  readonly state: () => RunState;
  /** Nothing new may be begun. */
  readonly isHeld: () => boolean;
  /** Rings when any of this may have changed. */
  readonly bell: Bell;
  readonly backoffMs: number;
}

/** Lets attempts begin, so that none comes before its time and no count of them is overrun. */
export class AttemptGate {
  readonly #options: AttemptGateOptions;
  #inFlight = 0;

  constructor(options: AttemptGateOptions) {
    this.#options = options;
  }

  /** Waits until an attempt may be begun, also by the others; false when none may any more. */
  async mayBegin(attempt: number): Promise<boolean> {
    const { backoffMs, isHeld, bell } = this.#options;
    const dueMs = performance.now() + attemptBackoffMs(attempt, backoffMs);
    while (!isHeld()) {
      const leftMs = dueMs - performance.now();
      if (leftMs <= 0 && this.#hasRoom()) return true;
      // oxlint-disable-next-line no-await-in-loop -- until there is room
      await bell.heard(leftMs > 0 ? leftMs : undefined);
    }
    return false;
  }

  /** Takes the room for one attempt; false when there is none. */
  claim(): boolean {
    if (this.#options.isHeld() || !this.#hasRoom()) return false;
    this.#inFlight += 1;
    return true;
  }

  release(): void {
    this.#inFlight -= 1;
    this.#options.bell.ring();
  }

  #hasRoom(): boolean {
    return hasRoom(this.#options.state(), this.#inFlight);
  }
}
