import { setTimeout as pause } from 'node:timers/promises';

/** So many commands at once, then ten in a second: each is written to disk, and the loop has better things to do. */
const BURST = 50;
const EVERY_MS = 100;

/** Lets one after the other pass, no faster than the loop can bear. */
export class ControlPace {
  #credit = BURST;
  #countedAtMs = performance.now();

  async turn(): Promise<void> {
    const nowMs = performance.now();
    this.#credit = Math.min(BURST, this.#credit + (nowMs - this.#countedAtMs) / EVERY_MS);
    this.#countedAtMs = nowMs;
    this.#credit -= 1;
    if (this.#credit < 0) await pause(-this.#credit * EVERY_MS, undefined, { ref: false });
  }
}
