import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../model/errors.js';
import type { Database } from './database.js';
import { type ClaimedRun, claimRun, type ReleaseTo, releaseRun, returnUnknown } from './fleet-queue.js';
import { mayPass } from './database-error.js';
import { type Lease, takeLease } from './lease.js';
import { RunOnWorker } from './run-on-worker.js';
import { sweepDeadWorkers } from './sweep-dead-workers.js';

const SWEEP_MS = 500;
/** Notices may be lost: it looks all the same. */
const LOOK_MS = 2000;
/** For as long a worker whose own disk failed takes nothing. */
const UNFIT_MS = 60_000;

export interface WorkerOptions {
  readonly database: Database;
  readonly home: string;
  readonly slots: number;
  readonly labels: readonly string[];
  /** How long the others wait for a sign of life of a worker that is frozen or cut off. */
  readonly ttlMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  readonly onLine: (line: string) => void;
}

/** Takes runs from the queue and works on them, several at a time, until it is told to end. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #runs = new Map<string, RunOnWorker>();
  readonly #timers: NodeJS.Timeout[] = [];
  #lease: Lease | undefined;
  readonly #draining = new AbortController();
  #isSweeping = false;
  /** Until then it takes nothing: its disk did not let it. */
  #restsUntilMs = 0;
  #wake: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Resolves when it has ended and nothing of its runs is left. Rejects when it cannot begin. */
  async work(): Promise<void> {
    const { database, slots, labels, ttlMs, onLine } = this.#options;
    this.#lease = await takeLease(database, { slots, labels, ttlMs });
    const unlisten = await database.listen(['pawl_queue', 'pawl_commands'], (channel, runId) => {
      if (channel === 'pawl_queue') this.#wake();
      else this.#listen(runId);
    });
    this.#timers.push(
      setInterval(() => void this.#sweep(), SWEEP_MS),
      setInterval(() => this.#listen(''), LOOK_MS),
    );
    onLine(`worker ${this.#lease.workerId}: ${slots === 1 ? '1 slot' : `${slots} slots`}`);
    try {
      await this.#serve();
    } finally {
      for (const timer of this.#timers) clearInterval(timer);
      await unlisten().catch(() => undefined);
      await this.#lease.end();
    }
  }

  /** Takes nothing more and lets go of what it has; `now` does not wait for the iterations under way. */
  drain(now = false): void {
    this.#draining.abort();
    for (const run of this.#runs.values()) run.leave(now);
    this.#wake();
  }

  async #serve(): Promise<void> {
    while (!this.#draining.signal.aborted || this.#runs.size > 0) {
      // Whatever comes from here on is not slept through.
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      // oxlint-disable-next-line no-await-in-loop -- this is the loop
      await this.#keepLease();
      // oxlint-disable-next-line no-await-in-loop -- this is the loop
      await this.#fill();
      const timer = setTimeout(() => this.#wake(), LOOK_MS);
      // oxlint-disable-next-line no-await-in-loop -- this is the loop
      await woken;
      clearTimeout(timer);
    }
  }

  /** When the lease is lost everything of this worker's is ended before it takes another. */
  async #keepLease(): Promise<void> {
    if (this.#lease?.lost.aborted !== true) return;
    this.#options.onLine('the lease is lost: the runs of this worker go to others');
    await Promise.all(Array.from(this.#runs.values(), (run) => run.done));
    if (this.#draining.signal.aborted) return;
    try {
      this.#lease = await this.#lease.retake(this.#draining.signal);
      this.#options.onLine(`worker ${this.#lease.workerId}: it has a lease again`);
    } catch (error) {
      if (!this.#draining.signal.aborted) throw error;
    }
  }

  async #fill(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    const isWilling = () => !this.#draining.signal.aborted && performance.now() >= this.#restsUntilMs;
    const hasRoom = () => isWilling() && !lease.lost.aborted && this.#runs.size < this.#options.slots;
    try {
      await this.#returnUnknown(lease);
      // oxlint-disable-next-line no-await-in-loop -- one place after the other
      while (hasRoom() && (await this.#claim(lease)));
    } catch (error) {
      this.#options.onLine(messageOf(error));
    }
  }

  /** Between two claims, so that none is under way. */
  async #returnUnknown(lease: Lease): Promise<void> {
    const { database, onLine } = this.#options;
    for (const id of await returnUnknown(database, lease.workerId, [...this.#runs.keys()])) {
      onLine(`${id} is queued again: this worker was given it and did not hear of it, or could not go on with it`);
    }
  }

  async #claim(lease: Lease): Promise<boolean> {
    const { database, labels } = this.#options;
    const run = await claimRun(database, { id: lease.workerId, labels });
    if (run !== undefined) this.#start(run, lease);
    return run !== undefined;
  }

  #start(run: ClaimedRun, lease: Lease): void {
    const { database, home, environment, now, onLine } = this.#options;
    onLine(`${run.id} ${run.lastSeq === 0 ? 'begins' : 'continues'} (epoch ${run.epoch})`);
    const { lost } = lease;
    const prove = () => lease.prove();
    const onUnfit = () => this.#rest();
    const onThis = new RunOnWorker(run, { database, home, environment, now, lost, prove, onUnfit, onWarning: onLine });
    this.#runs.set(run.id, onThis);
    if (this.#draining.signal.aborted) onThis.leave();
    void this.#release(onThis);
  }

  /** Others may have more room. */
  #rest(): void {
    this.#restsUntilMs = performance.now() + UNFIT_MS;
    this.#options.onLine(`this worker takes no run for ${UNFIT_MS / 1000} s`);
  }

  async #release(onThis: RunOnWorker): Promise<void> {
    const { run } = onThis;
    const to = await onThis.done;
    this.#options.onLine(`${run.id} ${to === undefined ? 'is not ours any more' : `is ${to.state}`}`);
    if (to !== undefined) await this.#tellUntilHeard(run, to);
    this.#runs.delete(run.id);
    this.#wake();
  }

  /** Until the database has it, or the run is another's. */
  async #tellUntilHeard(run: ClaimedRun, to: ReleaseTo): Promise<void> {
    const { database, onLine } = this.#options;
    while (this.#lease?.lost.aborted === false) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        await releaseRun(database, run, to);
        return;
      } catch (error) {
        onLine(`${run.id}: ${messageOf(error)}; it is tried again`);
        // What the database refuses is not waited for by a worker that ends: others find the run with its lease.
        if (!mayPass(error) && this.#draining.signal.aborted) return;
        // oxlint-disable-next-line no-await-in-loop -- not at once
        await pause(SWEEP_MS);
      }
    }
  }

  #listen(runId: string): void {
    const told = runId === '' ? [...this.#runs.values()] : [this.#runs.get(runId)];
    for (const run of told) void run?.listen().catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      const { workers } = await sweepDeadWorkers(this.#options.database);
      for (const worker of workers) this.#options.onLine(`worker ${worker} is dead: its runs are queued again`);
    } catch {
      // The next one may find the database again.
    }
    this.#isSweeping = false;
  }
}
