import { setTimeout as sleep } from 'node:timers/promises';
import { PawlError } from '../model/errors.js';
import { openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { knownCostUsd, reportedCostUsd, totalSpend } from '../model/spend-account.js';
import type { Query } from './database.js';
import { DatabaseUnreachable, mayPass } from './database-error.js';
import { type ClaimOfRun, type EventLine, type RunFigures, sendEvents } from './send-events.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;
const MOST_LINES = 500;
const MOST_BYTES = 1024 * 1024;
/** More than this is never kept for a database that does not answer. */
const MOST_UNSENT_BYTES = 256 * 1024 * 1024;

export interface EventSenderOptions extends ClaimOfRun {
  readonly query: Query;
  /** From then on somebody else may have the run. */
  readonly giveUp?: AbortSignal | undefined;
  /** Told once when the database fails and the same lines will be sent until it takes them. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
}

interface Waiting {
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Unsent extends EventLine {
  readonly bytes: number;
  readonly state: RunState;
}

/** Sends the lines of one run in order, one statement at a time, until they are committed or it is for good in vain. */
export class EventSender {
  readonly #options: EventSenderOptions;
  readonly #ended = new AbortController();
  readonly #listeners = new Set<(error: unknown) => void>();
  #unsent: Unsent[] = [];
  #unsentBytes = 0;
  #isSending = false;
  #broken: { readonly error: unknown } | undefined;
  #waiting: Waiting[] = [];

  constructor(options: EventSenderOptions) {
    this.#options = options;
    const { giveUp } = options;
    if (giveUp?.aborted === true) this.#onGiveUp();
    else giveUp?.addEventListener('abort', this.#onGiveUp, { once: true });
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  /** Throws why nothing can be recorded any more, if that is so. */
  check(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
    if (this.#unsentBytes <= MOST_UNSENT_BYTES) return;
    const { runId } = this.#options;
    this.break(
      new DatabaseUnreachable(`run ${runId}: the database takes nothing, and there is no room to keep more for it`),
    );
    this.check();
  }

  push(seq: number, line: string, bytes: number, state: RunState): void {
    this.#unsent.push({ seq, line, bytes, state });
    this.#unsentBytes += bytes;
    if (this.#isSending) return;
    this.#isSending = true;
    // What is appended in the same turn goes with it.
    queueMicrotask(() => void this.#send());
  }

  /** Resolves when everything pushed so far is committed. */
  flushed(): Promise<void> {
    const last = this.#unsent.at(-1);
    return new Promise((resolve, reject) => {
      if (last === undefined && this.#broken === undefined) resolve();
      else if (this.#broken !== undefined) reject(this.#broken.error);
      else if (last !== undefined) this.#waiting.push({ seq: last.seq, resolve, reject });
    });
  }

  onBroken(listener: (error: unknown) => void): () => void {
    if (this.#broken === undefined) this.#listeners.add(listener);
    else listener(this.#broken.error);
    return () => this.#listeners.delete(listener);
  }

  /** From now on nothing is sent. What is under way may still be recorded, if the run is still ours. */
  break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = { error };
    this.end();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    for (const listener of this.#listeners) listener(error);
    this.#listeners.clear();
  }

  end(): void {
    this.#ended.abort();
    this.#options.giveUp?.removeEventListener('abort', this.#onGiveUp);
  }

  readonly #onGiveUp = (): void => {
    const { runId } = this.#options;
    const why = 'the worker has lost its claim, so that another one may have taken the run over';
    this.break(new PawlError('LockedError', `run ${runId}: ${why}`));
  };

  async #send(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (this.#unsent.length > 0 && this.#broken === undefined) {
      const part = nextPart(this.#unsent);
      try {
        await this.#sendPart(part);
        waitMs = FIRST_WAIT_MS;
      } catch (error) {
        if (mayPass(error)) await this.#waitAfter(error, waitMs);
        else this.break(error);
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
      }
    }
    this.#isSending = false;
  }

  async #sendPart(part: readonly Unsent[]): Promise<void> {
    const last = part.at(-1);
    if (last === undefined) return;
    await sendEvents(this.#options.query, this.#options, part, figuresOf(last.state));
    this.#unsent = this.#unsent.slice(part.length);
    for (const { bytes } of part) this.#unsentBytes -= bytes;
    const [done, others] = [
      this.#waiting.filter(({ seq }) => seq <= last.seq),
      this.#waiting.filter(({ seq }) => seq > last.seq),
    ];
    this.#waiting = others;
    for (const { resolve } of done) resolve();
  }

  async #waitAfter(problem: unknown, waitMs: number): Promise<void> {
    // Once for as long as it lasts.
    if (waitMs === FIRST_WAIT_MS) this.#options.onRetry?.(problem);
    try {
      await sleep(waitMs, undefined, { signal: this.#ended.signal });
    } catch {
      // It is over: whoever waits here looks for that.
    }
  }
}

function figuresOf(state: RunState): RunFigures {
  const { iterations, spend } = state;
  const open = openIteration(state);
  const isPriced = reportedCostUsd(spend) !== undefined;
  return {
    iteration: open?.iteration ?? iterations,
    spentUsd: knownCostUsd(spend),
    spendUnknown: totalSpend(spend).costUsd === undefined,
    unknownIterations: isPriced ? spend.unknownIterations : 0,
    dearestUsd: spend.dearest?.costUsd,
  };
}

/** At least one line, however long. */
function nextPart(unsent: readonly Unsent[]): readonly Unsent[] {
  let bytes = 0;
  const end = unsent.findIndex((line, index) => {
    bytes += line.bytes;
    return index > 0 && (index >= MOST_LINES || bytes > MOST_BYTES);
  });
  return end === -1 ? unsent.slice() : unsent.slice(0, end);
}
