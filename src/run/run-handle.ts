import type { Journal, JournalListener } from '../journal/journal.js';
import { AlreadyRunning, InvalidState, messageOf } from '../model/errors.js';
import type { StopCondition } from '../model/condition.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { LoopState } from '../model/loop-state.js';
import type { RunEvent } from '../model/run-event.js';
import { type LoopStats, type RunState, statsOf } from '../model/run-state.js';
import { checkTreeAtResume } from './check-tree.js';
import type { CommandEffect } from './command-effect.js';
import { refusalOf, wordOf } from './command-legality.js';
import type { ControlServer, Obeyed } from './control-server.js';
import { eventStream } from './event-stream.js';
import { createHistory, type History } from './history.js';
import { LiveRun } from './live-run.js';
import { runLoop } from './loop.js';
import type { Notifier } from './notifier.js';
import { checkResumable, prepare } from './prepare.js';
import type { RunParts } from './run-parts.js';
import { failWith, resultOf, type RunResult } from './run-result.js';

export type { RunResult };

/** Where a run comes from. */
export interface RunSource {
  readonly runId: string;
  /** The record so far, for a run that is not open. */
  readonly recorded: RunState;
  /** Rejects when a new run cannot begin, before anything is made for it. */
  readonly checkStart?: (() => Promise<void> | undefined) | undefined;
  /** Opens the record and puts the run together around it. Throws when that cannot be done. */
  open(): RunParts;
  /** The run folder; undefined for a journal without one. */
  readonly folder?: string | undefined;
  readonly read: () => AsyncIterable<RunEvent>;
  /** The way in for commands of other processes. */
  readonly control?: ControlServer | undefined;
  /** Told what happens, for somebody outside. */
  readonly notifier?: Notifier | undefined;
}

/** A run to be started, steered and watched. Keeps no global, installs no handler, prints nothing. */
export class RunHandle {
  readonly id: string;
  readonly history: History;
  readonly #source: RunSource;
  readonly #listeners = new Set<JournalListener>();
  #live: LiveRun | undefined;
  #journal: Journal | undefined;
  #state: RunState;
  #running: Promise<RunResult> | undefined;

  constructor(source: RunSource) {
    this.#source = source;
    this.#state = source.recorded;
    this.id = source.runId;
    this.history = createHistory({
      state: () => this.runState,
      read: () => this.#journal?.read() ?? source.read(),
      folder: source.folder,
    });
  }

  /**
   * Runs until the policy says stop, or goes on with a run that was stopped or broke. Limits given here take the place of
   * those of the same type. Resolves however the run ends; rejects only when it cannot be started.
   */
  run(options: { readonly raise?: readonly StopCondition[]; readonly signal?: AbortSignal } = {}): Promise<RunResult> {
    if (this.#running !== undefined) return Promise.reject(new AlreadyRunning(this.id));
    this.#running = this.#run(options).finally(() => (this.#running = undefined));
    return this.#running;
  }

  state(): LoopState {
    return this.runState.status;
  }

  /** The fold of the record. */
  get runState(): RunState {
    return this.#journal?.state ?? this.#state;
  }

  stats(): LoopStats {
    return statsOf(this.runState);
  }

  /** Resolves when the command is recorded and under way; rejects with InvalidState when the state does not allow it. */
  async send(command: LoopCommand, by = 'code'): Promise<void> {
    this.#give(command, by);
  }

  /** Tells every event once it is recorded. Returns a function that ends it. */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The events from now on, until the run ends. */
  events(): AsyncIterable<RunEvent> {
    return eventStream((listener) => this.subscribe(listener));
  }

  /** Resolves when whoever is to be notified is told, or has had ten seconds for it; sooner with the signal. */
  async notified(signal?: AbortSignal): Promise<void> {
    await this.#source.notifier?.settled(signal);
  }

  /** Asks the run to stop now and waits until it has. Does nothing when it is not running. */
  async shutdown(by = 'shutdown'): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    try {
      await this.send({ type: 'stop', now: true }, by);
    } catch {
      // It has not begun or has just ended: there is only its end to wait for.
    }
    await running.catch(() => undefined);
  }

  async #run({ raise = [], signal }: { raise?: readonly StopCondition[]; signal?: AbortSignal }): Promise<RunResult> {
    checkResumable(this.runState, raise);
    const checked = this.runState.seq === 0 ? this.#source.checkStart?.() : undefined;
    // Who has nothing to check begins at once.
    if (checked !== undefined) await checked;
    const parts = this.#source.open();
    const { journal } = parts;
    let error: string | undefined;
    try {
      checkResumable(journal.state, raise);
      const isOurs = checkTreeAtResume(parts);
      if (isOurs !== undefined) await isOurs;
      this.#journal = journal;
      this.#source.notifier?.begin(journal.state, (event) => this.#live?.note(event) ?? false);
      const unsubscribe = journal.subscribe((event, state) => this.#tell(event, state));
      this.#source.control?.open((command, by) => this.#obey(command, by));
      error = await this.#drive(parts, raise, signal);
      unsubscribe();
    } finally {
      this.#state = journal.state;
      this.#journal = undefined;
      this.#live = undefined;
      this.#source.control?.close();
      await journal.close().catch((problem: unknown) => (error ??= messageOf(problem)));
    }
    const result = resultOf(this.id, this.#state, error);
    this.#source.notifier?.end(result);
    return result;
  }

  async #drive(
    parts: RunParts,
    raise: readonly StopCondition[],
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const live = new LiveRun(parts);
    this.#live = live;
    const stop = (): void => void live.send({ type: 'stop', now: true }, 'signal');
    live.begin();
    try {
      await prepare(live, parts, raise, () => {
        if (signal?.aborted === true) stop();
        else signal?.addEventListener('abort', stop, { once: true });
        this.#source.control?.begin();
      });
      await runLoop(live);
      return undefined;
    } catch (error) {
      return await failWith(live, error);
    } finally {
      signal?.removeEventListener('abort', stop);
      live.close();
    }
  }

  /** Hands a command to the run. Throws InvalidState when there is none under way, or it does not allow it. */
  #give(command: LoopCommand, by: string): CommandEffect {
    if (this.#live !== undefined) return this.#live.send(command, by);
    throw new InvalidState(this.state(), wordOf(command), refusalOf(command, this.runState));
  }

  /** A command of another process. */
  #obey(command: LoopCommand, by: string): Obeyed {
    const effect = this.#give(command, by);
    return { status: this.state(), effect };
  }

  #tell(event: RunEvent, state: RunState): void {
    this.#source.notifier?.hear(event, state);
    for (const listener of this.#listeners) {
      try {
        listener(event, state);
      } catch {
        // A listener that throws is not told again: the run does not depend on who watches it.
        this.#listeners.delete(listener);
      }
    }
  }
}
