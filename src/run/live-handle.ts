import { type Journal, type JournalListener, createPublisher } from '../journal/journal.js';
import { AlreadyRunning, ConfigError, InvalidState, messageOf } from '../model/errors.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import type { LoopState } from '../model/loop-state.js';
import type { RunEvent } from '../model/run-event.js';
import type { SpecChange } from '../model/run-spec.js';
import { type LoopStats, statsOf } from '../model/loop-stats.js';
import { loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Asked, ClaimReport, QuestionReport } from './agent-reports.js';
import { type CommandEffect, refusalOf } from './command-legality.js';
import type { ControlServer, Obeyed } from './control-server.js';
import type { LiveCore } from './live-core.js';
import type { Notifier } from './notifier.js';
import type { RunParts } from './run-host.js';
import { failWith, resultOf, type RunResult } from './history.js';

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
  /** Told what happens, for someone outside. */
  readonly notifier?: Notifier | undefined;
  /** A recorded run that is resumed by other code: what is different. */
  readonly changed?: SpecChange | undefined;
}

/** A run while its record is open. */
export interface Live {
  readonly core: LiveCore;
  send(command: LoopCommand, by: string): CommandEffect;
  /** Takes what its agent reports; throws InvalidState when it does not. Absent: this kind of run takes nothing. */
  hear?(report: ClaimReport, by: string): CommandEffect;
  /** The same for a question to a person. */
  ask?(report: QuestionReport, by: string, signal: AbortSignal): Asked;
  /** The run itself is broken. Throws when the record does not take it. */
  fail(message: string): void | Promise<void>;
}

/** What is driven, and how: `go` resolves at the end, and calls `onRunning` once commands can be taken. */
export interface Driven {
  readonly live: Live;
  readonly go: (onRunning: () => void) => Promise<void>;
}

/** One stretch of a run, from where its record is to its end. */
export interface Stretch {
  /** Throws or rejects when it cannot begin, before anything is opened. */
  readonly check?: (() => Promise<void> | undefined) | undefined;
  /** The same for the record as it is, once it is open. */
  readonly checkOpen?: ((parts: RunParts) => Promise<void> | undefined) | undefined;
  readonly begin: (parts: RunParts) => Driven;
  /** Stops it at once. */
  readonly signal?: AbortSignal | undefined;
}

/** Any run to be started, steered and watched. Keeps no global, installs no handler, prints nothing. */
export abstract class LiveHandle {
  readonly id: string;
  readonly #source: RunSource;
  /** A listener that throws is not told again: the run does not depend on who watches it. */
  readonly #publisher = createPublisher(() => undefined);
  #live: Live | undefined;
  #journal: Journal | undefined;
  #state: RunState;
  #running: Promise<RunResult> | undefined;

  constructor(source: RunSource) {
    this.#source = source;
    this.#state = source.recorded;
    this.id = source.runId;
  }

  state(): LoopState {
    return loopStateOf(this.runState);
  }

  /** The fold of the record. */
  get runState(): RunState {
    return this.#journal?.state ?? this.#state;
  }

  stats(): LoopStats {
    return statsOf(this.runState);
  }

  /**
   * Resolves with what comes of the command when it is recorded and under way; rejects with InvalidState when the state
   * does not allow it.
   */
  async send(command: LoopCommand, by = 'code'): Promise<CommandEffect> {
    return this.#give(command, by);
  }

  /** Tells every event once it is recorded. Returns a function that ends it. */
  subscribe(listener: JournalListener): () => void {
    return this.#publisher.subscribe(listener);
  }

  /** The events from now on, until the run ends. */
  events(): AsyncIterable<RunEvent> {
    return eventStream((listener) => this.subscribe(listener));
  }

  /** Resolves when anyone who is to be notified is told, or has had ten seconds for it; sooner with the signal. */
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

  /** Ends this stretch at the next place between two iterations, and not the run: it is to continue elsewhere. */
  leave(): void {
    this.#live?.core.intermission.leave();
  }

  /** Everything that is recorded so far. */
  protected readRecord(): AsyncIterable<RunEvent> {
    return this.#journal?.read() ?? this.#source.read();
  }

  /** Resolves however the run ends; rejects only when it cannot be started. */
  protected start(stretch: Stretch): Promise<RunResult> {
    if (this.#running !== undefined) return Promise.reject(new AlreadyRunning(this.id));
    this.#running = this.#run(stretch).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(stretch: Stretch): Promise<RunResult> {
    const { control, notifier } = this.#source;
    const checked = stretch.check?.();
    // Who has nothing to check begins at once.
    if (checked !== undefined) await checked;
    const parts = this.#source.open();
    const { journal } = parts;
    let error: string | undefined;
    try {
      const accepted = stretch.checkOpen?.(parts);
      if (accepted !== undefined) await accepted;
      this.#journal = journal;
      notifier?.begin(journal.state, (event) => this.#live?.core.note(event) ?? false);
      const unsubscribe = journal.subscribe((event, state) => this.#tell(event, state));
      control?.open({
        obey: (command, by) => this.#told(this.#give(command, by)),
        hear: (report, by) => this.#told(this.#hear(report, by)),
        ask: (report, by, signal) => ({ ...this.#ask(report, by, signal), status: this.state() }),
      });
      error = await this.#drive(stretch.begin(parts), stretch.signal);
      unsubscribe();
    } finally {
      this.#state = journal.state;
      this.#journal = undefined;
      this.#live = undefined;
      control?.close();
      await parts.tree?.close();
      await journal.close().catch((problem: unknown) => (error ??= messageOf(problem)));
    }
    const result = resultOf(this.id, this.#state, error);
    notifier?.end(result);
    return result;
  }

  /** Why it broke; undefined when it did not. */
  async #drive({ live, go }: Driven, signal: AbortSignal | undefined): Promise<string | undefined> {
    const stop = (): void => {
      try {
        live.send({ type: 'stop', now: true }, 'signal');
      } catch {
        // The run is ending already, or its record cannot be written, which ends it as well. The caller's signal must not throw.
      }
    };
    this.#live = live;
    live.core.begin();
    try {
      await go(() => {
        if (signal?.aborted === true) stop();
        else signal?.addEventListener('abort', stop, { once: true });
        this.#source.control?.begin();
      });
      await live.core.settled();
      return undefined;
    } catch (error) {
      const message = await failWith(live, error);
      // Nothing was begun that could be reported on.
      if (error instanceof ConfigError && live.core.state.iterations === 0) throw error;
      return message;
    } finally {
      signal?.removeEventListener('abort', stop);
      live.core.close();
    }
  }

  /** Hands a command to the run. Throws InvalidState when there is none under way, or it does not allow it. */
  #give(command: LoopCommand, by: string): CommandEffect {
    if (this.#live !== undefined) return this.#live.send(command, by);
    throw new InvalidState(this.state(), wordOf(command), refusalOf(command, this.runState));
  }

  #hear(report: ClaimReport, by: string): CommandEffect {
    const hear = this.#live?.hear?.bind(this.#live);
    if (hear !== undefined) return hear(report, by);
    throw this.#notRecorded('report', 'in a pipeline the audit judges, not the agent');
  }

  #ask(report: QuestionReport, by: string, signal: AbortSignal): Asked {
    const ask = this.#live?.ask?.bind(this.#live);
    if (ask !== undefined) return ask(report, by, signal);
    throw this.#notRecorded('ask', 'a pipeline does not wait for a person');
  }

  #notRecorded(what: string, whyNotHere: string): InvalidState {
    const why = this.#live === undefined ? 'no iteration is in progress' : whyNotHere;
    return new InvalidState(this.state(), what, `not recorded: ${why}`);
  }

  #told(effect: CommandEffect): Obeyed {
    return { status: this.state(), effect };
  }

  #tell(event: RunEvent, state: RunState): void {
    this.#source.notifier?.hear(event, state);
    this.#publisher.publish(event, state);
  }
}

/** Listens until the function that it returns is called. */
type Subscribe = (listener: (event: RunEvent) => void) => () => void;

/** Events as they are recorded, from now on, up to the end of the run. What is not read yet waits. */
function eventStream(subscribe: Subscribe): AsyncIterable<RunEvent> {
  const waiting: RunEvent[] = [];
  let wake: (() => void) | undefined;
  const unsubscribe = subscribe((event) => {
    waiting.push(event);
    wake?.();
  });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const event = waiting.shift();
          if (event === undefined) {
            // oxlint-disable-next-line no-await-in-loop -- the next event comes when it comes
            await new Promise<void>((resolve) => (wake = resolve));
            continue;
          }
          yield event;
          if (event.type === 'run-ended') return;
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
