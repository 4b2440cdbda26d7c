import { randomUUID } from 'node:crypto';
import { memoryJournal } from '../../journal/memory-journal.js';
import { InvalidState } from '../../model/errors.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { reduceAll } from '../../model/reduce.js';
import type { RunEvent } from '../../model/run-event.js';
import { knownCostUsd } from '../../model/spend-account.js';
import { SupersededError } from '../superseded-error.js';
import type {
  BatchSpend,
  ClaimedRun,
  EngineWorker,
  FleetEngine,
  FleetJournal,
  FleetJournalOptions,
  ReleaseTo,
  RunRecords,
  SentCommand,
  Wish,
} from './engine.js';

export interface MemoryFleetOptions {
  /** Wall time in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** After so long without a sign of life a run is given to another worker. */
  readonly heartbeatMs?: number | undefined;
}

export interface MemoryRunRequest {
  readonly id: string;
  readonly repository: string;
  readonly base: string;
  readonly labels?: readonly string[] | undefined;
  readonly spec: unknown;
  readonly batch?: { readonly id: string; readonly maxCostUsd?: number | undefined } | undefined;
}

/** A run as it stands, with all that is recorded of it. */
export interface MemoryRun {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'waiting' | 'ended';
  readonly worker?: string | undefined;
  readonly epoch: number;
  readonly crashes: number;
  readonly wish?: Wish | undefined;
  readonly outcome?: object | undefined;
  readonly trouble?: string | undefined;
  readonly events: readonly RunEvent[];
}

export interface MemoryFleet {
  submit(run: MemoryRunRequest): void;
  /** For one worker. */
  engine(): FleetEngine;
  run(id: string): MemoryRun;
  /** Says what is to become of a run; undefined takes a pause back. */
  wish(id: string, wish: Wish | undefined): void;
  /** Leaves a command for whoever works on the run. */
  send(id: string, command: LoopCommand, by: string): void;
  /** As if nothing had been heard of the worker of a run for longer than others wait. */
  silence(id: string): void;
}

interface Stored extends Omit<MemoryRunRequest, 'labels'> {
  readonly labels: readonly string[];
  readonly events: RunEvent[];
  readonly commands: SentCommand[];
  state: MemoryRun['state'];
  worker: string | undefined;
  epoch: number;
  claim: string | undefined;
  heardAtMs: number;
  notBeforeMs: number;
  crashes: number;
  lastSeqOfClaim: number;
  wasLeft: boolean;
  wish: Wish | undefined;
  outcome: object | undefined;
  trouble: string | undefined;
}

const USUAL_HEARTBEAT_MS = 30_000;
const LONGEST_HOLD_MS = 86_400_000;

/**
 * A fleet in memory, for tests of workers without a database: it hands out runs, fences what is recorded of them and takes
 * them over as the real one does.
 *
 * @example
 * ```ts
 * const fleet = memoryFleet();
 * fleet.submit({ id: 'loop_1', repository: '/srv/app.git', base: 'main', spec: { config: '', flags: { prompt: 'go' } } });
 * const engine = fleet.engine();
 * ```
 */
export function memoryFleet({
  now = Date.now,
  heartbeatMs = USUAL_HEARTBEAT_MS,
}: MemoryFleetOptions = {}): MemoryFleet {
  const runs = new Map<string, Stored>();
  const storedOf = (id: string): Stored => {
    const found = runs.get(id);
    if (found === undefined) throw new InvalidState('absent', 'look at', `there is no run ${id} in the fleet`);
    return found;
  };
  return {
    submit({ labels = [], ...run }) {
      if (!runs.has(run.id)) runs.set(run.id, { ...FRESH, ...run, labels, events: [], commands: [] });
    },
    engine: () => new MemoryEngine(runs, now, heartbeatMs),
    run: (id) => storedOf(id),
    wish(id, wish) {
      const run = storedOf(id);
      if (run.state !== 'ended' && (run.wish !== 'cancel' || wish === 'cancel')) run.wish = wish;
    },
    send(id, command, by) {
      const run = storedOf(id);
      if (run.state === 'ended') throw new InvalidState('ended', command.type);
      run.commands.push({ id: randomUUID(), command, by });
      run.notBeforeMs = 0;
    },
    silence(id) {
      storedOf(id).heardAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}

const FRESH = {
  state: 'queued',
  worker: undefined,
  epoch: 0,
  claim: undefined,
  heardAtMs: 0,
  notBeforeMs: 0,
  crashes: 0,
  lastSeqOfClaim: 0,
  wasLeft: false,
  wish: undefined,
  outcome: undefined,
  trouble: undefined,
} as const;

class MemoryEngine implements FleetEngine {
  readonly #runs: ReadonlyMap<string, Stored>;
  readonly #now: () => number;
  readonly #heartbeatMs: number;
  #worker: EngineWorker | undefined;

  constructor(runs: ReadonlyMap<string, Stored>, now: () => number, heartbeatMs: number) {
    this.#runs = runs;
    this.#now = now;
    this.#heartbeatMs = heartbeatMs;
  }

  async open(worker: EngineWorker): Promise<void> {
    this.#worker = worker;
  }

  async claim(): Promise<ClaimedRun | undefined> {
    const run = Array.from(this.#runs.values()).find((each) => this.#isFree(each));
    return run === undefined || this.#worker === undefined ? undefined : this.#claimed(run, this.#worker.id);
  }

  async touch(runs: readonly ClaimedRun[]): Promise<ReadonlySet<string>> {
    const ours = runs.filter((run) => this.#ours(run) !== undefined).map(({ id }) => id);
    for (const id of ours) this.#stored(id).heardAtMs = this.#now();
    return new Set(ours);
  }

  async told(runs: readonly ClaimedRun[]): Promise<readonly string[]> {
    return runs.map(({ id }) => id).filter((id) => this.#isTold(this.#stored(id)));
  }

  async release(run: ClaimedRun, to: ReleaseTo): Promise<boolean> {
    const stored = this.#ours(run);
    if (stored === undefined) return false;
    const isBroken = to.state === 'queued' && to.isBroken === true;
    const waits = to.state === 'waiting' && stored.commands.length === 0;
    stored.state = to.state;
    stored.worker = undefined;
    stored.wasLeft = !isBroken;
    if (!isBroken) stored.crashes = 0;
    stored.notBeforeMs = waits ? (to.notBefore?.getTime() ?? Number.POSITIVE_INFINITY) : 0;
    stored.outcome = to.state === 'ended' ? to.outcome : undefined;
    stored.trouble = to.state === 'ended' ? undefined : to.trouble;
    return true;
  }

  recordsOf(run: ClaimedRun): RunRecords {
    const stored = this.#stored(run.id);
    return {
      openJournal: async (options) => this.#journal(run, stored, options),
      pushedWork: async () => pushedIn(stored.events),
      wish: async () => stored.wish,
      commands: async () => (this.#ours(run) === undefined ? [] : stored.commands.slice()),
      commandsRecorded: async (ids) => {
        const left = stored.commands.filter(({ id }) => !ids.includes(id));
        stored.commands.splice(0, Infinity, ...left);
      },
      batchSpend: async (others) => this.#spendOf(stored, others),
      tell: (trouble) => {
        stored.trouble = trouble;
      },
    };
  }

  async tend(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {
    this.#worker = undefined;
  }

  #stored(id: string): Stored {
    const found = this.#runs.get(id);
    if (found === undefined) throw new InvalidState('absent', 'work on', `there is no run ${id} in the fleet`);
    return found;
  }

  /** Undefined when somebody else has claimed it since. */
  #ours({ id, claim }: ClaimedRun): Stored | undefined {
    const stored = this.#stored(id);
    return stored.claim === claim && stored.state === 'running' ? stored : undefined;
  }

  #isTold({ wish, commands }: Stored): boolean {
    return wish !== undefined || commands.length > 0;
  }

  #isFree({ state, wish, labels, heardAtMs, notBeforeMs }: Stored): boolean {
    const nowMs = this.#now();
    if (state === 'ended' || wish === 'pause') return false;
    if (state === 'running') return heardAtMs + this.#heartbeatMs < nowMs;
    if (wish === 'cancel') return true;
    return notBeforeMs <= nowMs && labels.every((label) => this.#worker?.labels.includes(label));
  }

  #claimed(run: Stored, worker: string): ClaimedRun {
    const { wasLeft } = run;
    const hasGotOn = run.events.length > run.lastSeqOfClaim;
    run.crashes = wasLeft || run.epoch === 0 || hasGotOn ? 0 : run.crashes + 1;
    Object.assign(run, { state: 'running', worker, heardAtMs: this.#now(), wasLeft: false, trouble: undefined });
    run.epoch += 1;
    run.claim = randomUUID();
    run.lastSeqOfClaim = run.events.length;
    const { id, epoch, claim, repository, base, labels, spec, wish, crashes, batch } = run;
    const job = { id, retryCount: epoch - 1 };
    const held = { job, heartbeatMs: this.#heartbeatMs, longestHoldMs: LONGEST_HOLD_MS };
    const lastSeq = run.events.length;
    return {
      id,
      epoch,
      claim,
      repository,
      base,
      labels,
      spec,
      wish,
      crashes,
      batch: batch?.id,
      lastSeq,
      wasLeft,
      ...held,
    };
  }

  #journal(run: ClaimedRun, stored: Stored, { giveUp }: FleetJournalOptions): FleetJournal {
    const journal = memoryJournal({ events: stored.events, now: this.#now });
    journal.subscribe((event) => stored.events.push(event));
    const broken = (): unknown => {
      if (giveUp.aborted) return giveUp.reason;
      return this.#ours(run) === undefined ? new SupersededError(run.id, run.epoch) : undefined;
    };
    const listeners = new Set<(error: unknown) => void>();
    const check = (): void => {
      const error = broken();
      if (error === undefined) return;
      for (const listener of listeners) listener(error);
      listeners.clear();
      throw error;
    };
    return {
      diskFull: false,
      get state() {
        return journal.state;
      },
      append(event, activeMs) {
        check();
        return journal.append(event, activeMs);
      },
      synced: async () => check(),
      onBroken(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      subscribe: (listener) => journal.subscribe(listener),
      read: (fromSeq) => journal.read(fromSeq),
      close: () => journal.close(),
    };
  }

  #spendOf({ id, batch }: Stored, others: boolean): BatchSpend | undefined {
    if (batch === undefined) return undefined;
    const runs = Array.from(this.#runs.values()).filter(
      (run) => run.batch?.id === batch.id && (!others || run.id !== id),
    );
    const spentUsd = runs.reduce((sum, { events }) => sum + knownCostUsd(reduceAll(events).spend), 0);
    return { spentUsd, maxCostUsd: batch.maxCostUsd };
  }
}

function pushedIn(events: readonly RunEvent[]) {
  const last = events.findLast((event) => event.type === 'work-committed' && event.error === undefined);
  if (last?.type !== 'work-committed' || last.commit === undefined) return undefined;
  return { commit: last.commit, iteration: last.iteration };
}
