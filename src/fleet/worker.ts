import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../model/errors.js';
import { mayPass } from './database-error.js';
import type { ClaimedRun, FleetEngine, ReleaseTo } from './engine/engine.js';
import { Heartbeat, type HeldRun } from './engine/heartbeat.js';
import { RunOnWorker } from './run-on-worker.js';

const LOOK_MS = 1000;
const TEND_MS = 30_000;
/** For as long a worker whose own disk failed takes nothing. */
const UNFIT_MS = 60_000;

export interface WorkerOptions {
  readonly engine: FleetEngine;
  readonly home: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  readonly onLine: (line: string) => void;
  /** How often it looks for runs and for what is said to its own; a second unless told. */
  readonly lookMs?: number | undefined;
}

/** Takes runs from the engine and works on them, several at a time, until it is told to end. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  /** By the token of the claim: a run that was lost may come back. */
  readonly #runs = new Map<string, RunOnWorker>();
  readonly #heartbeat: Heartbeat;
  readonly #draining = new AbortController();
  /** Until then it takes nothing: its disk did not let it. */
  #restsUntilMs = 0;
  #tendsAtMs = 0;
  #wake: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#heartbeat = new Heartbeat(options.engine);
  }

  /** Resolves when it has ended and nothing of its runs is left. Rejects when it cannot begin. */
  async work(): Promise<void> {
    const { engine, slots, labels, onLine } = this.#options;
    try {
      await engine.open({ id: this.#id, host: hostname(), pid: process.pid, slots, labels });
      onLine(`worker ${this.#id}: ${slots === 1 ? '1 slot' : `${slots} slots`}`);
      await this.#serve();
    } finally {
      this.#heartbeat.end();
      await engine.close();
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
      await this.#look();
      const timer = setTimeout(() => this.#wake(), this.#options.lookMs ?? LOOK_MS);
      // oxlint-disable-next-line no-await-in-loop -- this is the loop
      await woken;
      clearTimeout(timer);
    }
  }

  async #look(): Promise<void> {
    const isWilling = () => !this.#draining.signal.aborted && performance.now() >= this.#restsUntilMs;
    const hasRoom = () => isWilling() && this.#runs.size < this.#options.slots;
    try {
      await this.#hear();
      await this.#tend();
      // oxlint-disable-next-line no-await-in-loop -- one place after the other
      while (hasRoom() && (await this.#claim()));
    } catch (error) {
      this.#options.onLine(messageOf(error));
    }
  }

  async #hear(): Promise<void> {
    const runs = [...this.#runs.values()];
    if (runs.length === 0) return;
    const told = await this.#options.engine.told(runs.map(({ run }) => run));
    for (const onThis of runs) if (told.includes(onThis.run.id)) void onThis.listen().catch(() => undefined);
  }

  async #tend(): Promise<void> {
    if (performance.now() < this.#tendsAtMs) return;
    this.#tendsAtMs = performance.now() + TEND_MS;
    for (const line of await this.#options.engine.tend()) this.#options.onLine(line);
  }

  async #claim(): Promise<boolean> {
    const askedAtMs = performance.now();
    const run = await this.#options.engine.claim();
    if (run === undefined) return false;
    const held = this.#heartbeat.hold(run, askedAtMs);
    // It may be one that this worker has lost: nothing of it is alive when it begins again.
    for (const before of this.#runs.values()) {
      // oxlint-disable-next-line no-await-in-loop -- there is one at most
      if (before.run.id === run.id) await before.done;
    }
    this.#start(run, held);
    return true;
  }

  #start(run: ClaimedRun, held: HeldRun): void {
    const { engine, home, environment, now, onLine } = this.#options;
    onLine(`${run.id} ${run.lastSeq === 0 ? 'begins' : 'continues'} (epoch ${run.epoch})`);
    const onThis = new RunOnWorker(run, {
      records: engine.recordsOf(run),
      home,
      environment,
      now,
      lost: held.lost,
      prove: () => held.prove(),
      onUnfit: () => this.#rest(),
      onWarning: onLine,
    });
    this.#runs.set(run.claim, onThis);
    if (this.#draining.signal.aborted) onThis.leave();
    void this.#release(onThis, held);
  }

  /** Others may have more room. */
  #rest(): void {
    this.#restsUntilMs = performance.now() + UNFIT_MS;
    this.#options.onLine(`this worker takes no run for ${UNFIT_MS / 1000} s`);
  }

  async #release(onThis: RunOnWorker, held: HeldRun): Promise<void> {
    const { run } = onThis;
    // Nobody may have it longer than that: better between two iterations than in the middle of one.
    const tooLong = setTimeout(() => onThis.leave(), run.longestHoldMs / 2);
    const to = await onThis.done;
    clearTimeout(tooLong);
    this.#options.onLine(`${run.id} ${to === undefined ? 'is not ours any more' : `is ${to.state}`}`);
    await (to === undefined ? this.#tellOnce(run) : this.#tellUntilHeard(run, to, held.lost));
    held.letGo();
    this.#runs.delete(run.claim);
    this.#wake();
  }

  /** The run may still be ours, and could not go on: nobody is to wait for what is not heard any more. */
  async #tellOnce(run: ClaimedRun): Promise<void> {
    await this.#options.engine.release(run, { state: 'queued', isBroken: true }).catch(() => undefined);
  }

  /** Until the engine has it, or the run is another's. */
  async #tellUntilHeard(run: ClaimedRun, to: ReleaseTo, lost: AbortSignal): Promise<void> {
    const { engine, onLine } = this.#options;
    while (!lost.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        await engine.release(run, to);
        return;
      } catch (error) {
        onLine(`${run.id}: ${messageOf(error)}; it is tried again`);
        // What the database refuses is not waited for by a worker that ends: others find the run when nothing is heard of it.
        if (!mayPass(error) && this.#draining.signal.aborted) return;
        // oxlint-disable-next-line no-await-in-loop -- not at once
        await pause(LOOK_MS / 2);
      }
    }
  }
}
