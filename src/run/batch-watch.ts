import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';

/** What a run shares with the others of its batch. */
export interface BatchAccount {
  readonly batch: string;
  /** What the others have spent, or why that cannot be told. Rejects when nobody will answer any more. */
  others(): Promise<BatchSeen>;
}

export interface BatchSeen {
  readonly usd?: number | undefined;
  /** The most that one iteration has cost: one that told nothing is charged like it. */
  readonly dearestUsd?: number | undefined;
  readonly problem?: string | undefined;
}

export interface BatchWatchOptions {
  readonly account: BatchAccount;
  readonly state: () => RunState;
  readonly record: (event: NewEvent) => void;
  /** Resolves when what this run has spent can be seen by the others. */
  readonly settled: () => Promise<void>;
}

/** How long another run may spend before this one hears of it. */
const LOOK_MS = 3000;

/**
 * Records what the others of a batch spend. It looks after this run's own spend can be seen: of two runs that spend at the
 * same time at least one sees what the other has.
 */
export class BatchWatch {
  readonly #options: BatchWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isOver = false;

  constructor(options: BatchWatchOptions) {
    this.#options = options;
  }

  /** Before the first verdict: a limit that nobody has looked at blocks. */
  async begin(): Promise<void> {
    await this.look();
    if (!this.#isOver) this.#timer = setInterval(() => this.lookSoon(), LOOK_MS).unref();
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  /** One after the other, and those who ask while one is under way share the next, which begins after they asked. */
  look(): Promise<void> {
    this.#next ??= this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#looking = this.#see();
        return this.#looking;
      });
    return this.#next;
  }

  lookSoon(): void {
    // Whoever gets no answer is about to lose the run.
    this.look().catch(() => undefined);
  }

  async #see(): Promise<void> {
    const { account, state, record, settled } = this.#options;
    if (this.#isOver) return;
    await settled();
    const { usd: othersUsd, dearestUsd, problem } = await account.others();
    const { batch } = account;
    const known = state().batch;
    const isKnown = known?.othersUsd === othersUsd && known?.dearestUsd === dearestUsd && known?.problem === problem;
    if (known !== undefined && isKnown) return;
    if (!this.#isOver) record({ type: 'batch-spend-seen', batch, othersUsd, dearestUsd, problem });
  }
}
