import { performance } from 'node:perf_hooks';
import type { ClaimedRun, FleetEngine } from './engine.js';

/** Of the time after which a run is given to another: from then on its agents have to be gone. */
const SILENT_SHARE = 0.7;
const BEATS = 6;
/** Others see by it that the worker is there. */
const LONGEST_BEAT_MS = 10_000;

/** The claim is not held, or nobody can say that it is: the run may be another's by now. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export interface HeldRun {
  /** Aborted for good, with a `ClaimLost`, before anybody else can begin: end the agents of the run. */
  readonly lost: AbortSignal;
  /** Resolves when the claim is held right now, which one round trip shows. Rejects with `ClaimLost`. */
  prove(): Promise<void>;
  /** Nothing of the run is alive any more. */
  letGo(): void;
}

interface Held {
  readonly run: ClaimedRun;
  readonly lost: AbortController;
  provenAtMs: number;
  deadline: NodeJS.Timeout | undefined;
}

/**
 * Says of all runs of a worker at once that it lives. A run is lost when the engine says so, and when no answer is to
 * anything that was sent in seven tenths of the time that others wait: a timer of its own looks for that, because a question
 * into a black hole hangs.
 */
export class Heartbeat {
  readonly #engine: Pick<FleetEngine, 'touch'>;
  readonly #held = new Set<Held>();
  #nextBeat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(engine: Pick<FleetEngine, 'touch'>) {
    this.#engine = engine;
    this.#arm();
  }

  /** `claimedAtMs`: when the claim was asked for, by the clock of `performance`. */
  hold(run: ClaimedRun, claimedAtMs: number): HeldRun {
    const held: Held = { run, lost: new AbortController(), provenAtMs: claimedAtMs, deadline: undefined };
    this.#held.add(held);
    this.#watch(held);
    this.#arm();
    return {
      lost: held.lost.signal,
      prove: () => this.#prove(held),
      letGo: () => {
        clearTimeout(held.deadline);
        this.#held.delete(held);
      },
    };
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#nextBeat);
    for (const { deadline } of this.#held) clearTimeout(deadline);
    this.#held.clear();
  }

  async #prove(held: Held): Promise<void> {
    const askedAtMs = performance.now();
    // A worker that was stopped may come here before its timers do.
    this.#checkDeadline(held);
    const over = new Promise<void>((resolve) =>
      held.lost.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    while (!held.lost.signal.aborted && held.provenAtMs < askedAtMs) {
      // oxlint-disable-next-line no-await-in-loop -- until it is answered
      await Promise.race([this.#beat(), over]);
      this.#checkDeadline(held);
    }
    held.lost.signal.throwIfAborted();
  }

  #arm(): void {
    clearTimeout(this.#nextBeat);
    if (this.#isEnded) return;
    this.#nextBeat = setTimeout(() => void this.#beat().then(() => this.#arm()), this.#beatMs);
  }

  get #shortestMs(): number {
    return Math.min(LONGEST_BEAT_MS * BEATS, ...Array.from(this.#held, ({ run }) => run.heartbeatMs));
  }

  get #beatMs(): number {
    return this.#shortestMs / BEATS;
  }

  /** One after the other; never rejects. */
  #beat(): Promise<void> {
    this.#beating = this.#beating.then(() => this.#touch());
    return this.#beating;
  }

  async #touch(): Promise<void> {
    const asked = [...this.#held];
    const sentAtMs = performance.now();
    try {
      const ours = await this.#engine.touch(
        asked.map(({ run }) => run),
        this.#shortestMs / 3,
      );
      for (const held of asked) {
        if (ours.has(held.run.id)) this.#proven(held, sentAtMs);
        else this.#lose(held, 'the run was given to another, or its job is gone');
      }
    } catch {
      // Not at once again, for whoever waits for an answer. The deadline says when it is too late.
      await new Promise((resolve) => setTimeout(resolve, Math.min(500, this.#beatMs)));
    }
  }

  #proven(held: Held, sentAtMs: number): void {
    this.#checkDeadline(held);
    held.provenAtMs = Math.max(held.provenAtMs, sentAtMs);
    this.#watch(held);
  }

  #watch(held: Held): void {
    clearTimeout(held.deadline);
    if (this.#isEnded || held.lost.signal.aborted) return;
    const leftMs = held.provenAtMs + SILENT_SHARE * held.run.heartbeatMs - performance.now();
    held.deadline = setTimeout(() => this.#checkDeadline(held), Math.max(0, leftMs) + 1);
  }

  #checkDeadline(held: Held): void {
    const silentMs = performance.now() - held.provenAtMs;
    if (silentMs < SILENT_SHARE * held.run.heartbeatMs) return;
    this.#lose(held, `the database has not heard from this worker for ${Math.round(silentMs / 1000)} s`);
  }

  #lose(held: Held, why: string): void {
    clearTimeout(held.deadline);
    if (!held.lost.signal.aborted) held.lost.abort(new ClaimLost(`run ${held.run.id} is lost: ${why}`));
  }
}
