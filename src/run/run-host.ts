import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { RunContext } from '../iteration/run-context.js';
import type { Journal } from '../journal/journal.js';
import type { DayLedger } from './day-ledger.js';

/**
 * What keeps a run in place of this machine's disk, such as a worker that has a clone of the repository: the run may have
 * begun on another machine, and may continue on a third. Without a host, a run belongs to the directory that it works in.
 */
export interface RunHost {
  /** Another host gave the run up between two iterations: that is a move, not a crash. */
  readonly wasLeft: boolean;
  /** After this many crashes in a row the run ends as failed, instead of after the usual three. */
  readonly mostCrashes: number;
  /** The commit that the working tree began with: repositories that were added since are committed with their files. */
  readonly commitsSince: string;
  /** More trailers for each commit. */
  readonly commitTrailers: Readonly<Record<string, string>>;
  /** Aborted when this host stops: a commit that is under way gets a last moment, and another host continues the run. */
  readonly leaving: AbortSignal;
  /** The budget that the run shares with others. */
  readonly batch?: BatchAccount | undefined;
  /**
   * Brings the commits to a place that outlives this machine, before the end of the iteration is recorded. Resolves with why
   * that failed when the run continues elsewhere without them; rejects when the run must not continue. Once `ending` is
   * aborted, a failure that may pass is not waited for.
   */
  publishWork(ending: AbortSignal): Promise<{ readonly lost: string } | undefined>;
}

/** What a run shares with the others of its batch. */
export interface BatchAccount {
  readonly batch: string;
  /** What the others have spent, or why that is not known. Rejects when no one will answer any more. */
  others(): Promise<BatchSeen>;
}

export interface BatchSeen {
  readonly usd?: number | undefined;
  /** The most that one iteration has cost: one that reported nothing is charged like it. */
  readonly dearestUsd?: number | undefined;
  readonly problem?: string | undefined;
}

interface BatchWatchOptions {
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

  /** Before the first verdict: a limit that no one has inspected blocks. */
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
    // Anyone who gets no answer is about to lose the run.
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

/** What a run is made of, before it is live. */
export interface RunParts extends Omit<RunContext, 'questions' | 'record' | 'checkRecord' | 'stop'> {
  readonly configHash: string;
  /** Of what takes part, next to Pawl and Node. */
  readonly versions?: Readonly<Record<string, string>> | undefined;
  readonly journal: Journal;
  /** Runs of the tree whose runner died: what they left running is ended before anything is started. */
  readonly deadRuns?: readonly string[] | undefined;
  /** Records that a loss of power took: what was spent in them is not known. */
  readonly lostRecords?: number | undefined;
  /** The machine's account of the day; undefined without files. */
  readonly ledger?: DayLedger | undefined;
  /** Undefined when the run belongs to the directory that it works in. */
  readonly host?: RunHost | undefined;
  /** A secret that came up during the run: it is removed from everything that follows, in place of the one before of that name. */
  readonly keepSecret?: ((name: string, value: string) => void) | undefined;
  /** Tells anyone who looks on what is worth knowing and does no harm. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** A run while it is live. */
export type LiveParts = RunParts & RunContext;
