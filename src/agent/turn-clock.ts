/** How long a turn may take, and how long a model may show nothing. Stands while a person is asked. */
export class TurnClock {
  readonly #ended = new AbortController();
  readonly #idleTimeoutMs: number;
  #leftMs: number;
  #sinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isIdle: NodeJS.Immediate | undefined;
  cause: 'timeout' | 'idle' | undefined;

  constructor({ timeoutMs, idleTimeoutMs }: { readonly timeoutMs: number; readonly idleTimeoutMs: number }) {
    this.#leftMs = timeoutMs;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.start();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  start(): void {
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = performance.now();
    this.#timer = setTimeout(() => this.#end('timeout'), clamp(this.#leftMs));
  }

  pause(): void {
    if (this.#sinceMs === undefined) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#sinceMs;
    this.#sinceMs = undefined;
  }

  /** A model call shows life; without a call nothing is expected. */
  sawLife(): void {
    this.callEnded();
    this.#idle = setTimeout(() => {
      // If the process was held up, it has not read yet what the model sent. Node does that before an immediate.
      this.#isIdle = setImmediate(() => this.#end('idle'));
    }, clamp(this.#idleTimeoutMs));
  }

  callEnded(): void {
    clearTimeout(this.#idle);
    clearImmediate(this.#isIdle);
  }

  stop(): void {
    this.pause();
    this.callEnded();
  }

  #end(cause: 'timeout' | 'idle'): void {
    this.cause ??= cause;
    this.#ended.abort(new Error(cause));
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function clamp(ms: number): number {
  return Math.min(Math.max(0, ms), LONGEST_TIMER_MS);
}
