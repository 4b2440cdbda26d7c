import type { Interrupt } from '../iteration/stop-signal.js';
import type { AttemptSignals } from './run-attempt.js';

/** An attempt that reports what it cost with its last line has done its work: it has this long to end by itself. */
const MOMENT_MS = 250;

/**
 * Ends what is in flight. A limit on spend leaves a moment to those who are about to end, and what was made by then is
 * still audited: it is paid for, and would have to be made again. Everything else ends all of them at once.
 */
export class AttemptInterruption {
  readonly #generators = new AbortController();
  readonly #audits = new Map<number, AbortController>();
  #isSpent = false;

  /** All who generate are ended. */
  get isAborted(): boolean {
    return this.#generators.signal.aborted;
  }

  /** A limit on spend was crossed. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Hands the signals of one attempt to `work` for as long as it continues. */
  async during<T>(index: number, work: (signals: AttemptSignals) => Promise<T>): Promise<T> {
    const audit = new AbortController();
    this.#audits.set(index, audit);
    try {
      return await work({ generate: this.#generators.signal, audit: audit.signal });
    } finally {
      this.#audits.delete(index);
    }
  }

  /** At once, audits as well. */
  endAll(why: Interrupt): void {
    this.#generators.abort(why);
    for (const audit of this.#audits.values()) audit.abort(why);
  }

  /** No more is to be spent. */
  endSpending(): void {
    if (this.#isSpent) return;
    this.#isSpent = true;
    inAMoment(this.#generators);
  }

  /** The audit of this item has itself crossed a limit on spend. */
  endAudit(index: number): void {
    const audit = this.#audits.get(index);
    if (audit !== undefined) inAMoment(audit);
  }
}

/** Nothing waits for this when everybody has ended by then. */
function inAMoment(work: AbortController): void {
  setTimeout(() => work.abort('limit' satisfies Interrupt), MOMENT_MS).unref();
}
