/** Active time by the monotonic clock: it stands while the run is paused or waits, and while the machine sleeps. */
export class ActiveClock {
  #beforeMs: number;
  #sinceMs: number | undefined;

  constructor(recordedMs: number) {
    this.#beforeMs = recordedMs;
  }

  get ms(): number {
    const now = this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs;
    return Math.floor(this.#beforeMs + now);
  }

  get isRunning(): boolean {
    return this.#sinceMs !== undefined;
  }

  start(): void {
    this.#sinceMs ??= performance.now();
  }

  stop(): void {
    this.#beforeMs = this.ms;
    this.#sinceMs = undefined;
  }
}
