/** Does something when it is asked to, at most once in a while; what is asked for in between is done once. */
export class Pace {
  readonly #act: () => 'done' | 'again';
  readonly #betweenMs: number;
  #timer: NodeJS.Timeout | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isOver = false;

  /** `again`: it could not be done and is to be tried after a while. */
  constructor(act: () => 'done' | 'again', betweenMs: number) {
    this.#act = act;
    this.#betweenMs = betweenMs;
  }

  ask(): void {
    if (this.#timer !== undefined || this.#isOver) return;
    const dueMs = this.#lastMs + this.#betweenMs - performance.now();
    this.#timer = setTimeout(() => this.#run(), Math.max(0, dueMs));
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#timer = undefined;
    this.#lastMs = performance.now();
    if (this.#act() === 'again') this.ask();
  }
}
