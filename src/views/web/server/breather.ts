import { setImmediate as turn } from 'node:timers/promises';

const LONGEST_MS = 10;

/** Keeps long work from holding up everybody else: others get their turn after some milliseconds of it. */
export class Breather {
  #sinceMs = performance.now();

  /** Undefined while there is nothing to wait for. */
  breathe(): Promise<void> | undefined {
    return performance.now() - this.#sinceMs < LONGEST_MS ? undefined : this.#rest();
  }

  async #rest(): Promise<void> {
    await turn();
    this.#sinceMs = performance.now();
  }
}
