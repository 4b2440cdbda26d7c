import type { Journal, JournalListener } from '../journal/journal.js';
import { AlreadyRunning, InvalidState, messageOf } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { LoopState } from '../model/loop-state.js';
import type { RunState } from '../model/run-state.js';
import type { CommandEffect } from '../run/command-effect.js';
import { refusalOf, wordOf } from '../run/command-legality.js';
import type { RunSource } from '../run/run-handle.js';
import { failWith, resultOf, type RunResult } from '../run/run-result.js';
import { LivePipeline } from './live-pipeline.js';
import type { PipelineParts } from './pipeline-parts.js';
import { preparePipeline, type ResumeWishes } from './prepare-pipeline.js';
import { runItems } from './run-items.js';

/** How a pipeline, or this stretch of it, ended. */
export type PipelineResult = RunResult;

/** Where a pipeline comes from: a run, and what is made around it once its record is open. */
export interface PipelineSource {
  readonly run: RunSource;
  readonly partsOf: (run: ReturnType<RunSource['open']>, live: () => LivePipeline | undefined) => PipelineParts;
  readonly wishes?: ResumeWishes | undefined;
}

/** A pipeline to be started, steered and watched. Keeps no global, installs no handler, prints nothing. */
export class PipelineHandle {
  readonly id: string;
  readonly #source: PipelineSource;
  readonly #listeners = new Set<JournalListener>();
  #live: LivePipeline | undefined;
  #journal: Journal | undefined;
  #state: RunState;
  #running: Promise<PipelineResult> | undefined;

  constructor(source: PipelineSource) {
    this.#source = source;
    this.#state = source.run.recorded;
    this.id = source.run.runId;
  }

  /** Runs until every item is final or the policy says stop. Resolves however it ends; rejects when it cannot start. */
  run(options: { readonly signal?: AbortSignal } = {}): Promise<PipelineResult> {
    if (this.#running !== undefined) return Promise.reject(new AlreadyRunning(this.id));
    this.#running = this.#run(options.signal).finally(() => (this.#running = undefined));
    return this.#running;
  }

  state(): LoopState {
    return this.runState.status;
  }

  /** The fold of the record. */
  get runState(): RunState {
    return this.#journal?.state ?? this.#state;
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

  /** Resolves when whoever is to be notified is told, or has had ten seconds for it; sooner with the signal. */
  async notified(signal?: AbortSignal): Promise<void> {
    await this.#source.run.notifier?.settled(signal);
  }

  async #run(signal: AbortSignal | undefined): Promise<PipelineResult> {
    const { run: source } = this.#source;
    const run = source.open();
    const { journal } = run;
    let error: string | undefined;
    try {
      this.#journal = journal;
      source.notifier?.begin(journal.state, (event) => this.#live?.note(event) ?? false);
      const unsubscribe = journal.subscribe((event, state) => this.#tell(event, state));
      source.control?.open((command, by) => {
        const effect = this.#give(command, by);
        return { status: this.state(), effect };
      });
      error = await this.#drive(
        this.#source.partsOf(run, () => this.#live),
        signal,
      );
      unsubscribe();
    } finally {
      this.#state = journal.state;
      this.#journal = undefined;
      this.#live = undefined;
      source.control?.close();
      await journal.close().catch((problem: unknown) => (error ??= messageOf(problem)));
    }
    const result = resultOf(this.id, this.#state, error);
    source.notifier?.end(result);
    return result;
  }

  async #drive(parts: PipelineParts, signal: AbortSignal | undefined): Promise<string | undefined> {
    const live = new LivePipeline(parts);
    this.#live = live;
    const stop = (): void => void live.send({ type: 'stop', now: true }, 'signal');
    live.begin();
    try {
      await preparePipeline(live, parts, this.#source.wishes ?? {}, () => {
        if (signal?.aborted === true) stop();
        else signal?.addEventListener('abort', stop, { once: true });
        this.#source.run.control?.begin();
      });
      await runItems(live);
      return undefined;
    } catch (error) {
      return await failWith(live, error);
    } finally {
      signal?.removeEventListener('abort', stop);
      live.close();
    }
  }

  #give(command: LoopCommand, by: string): CommandEffect {
    if (this.#live !== undefined) return this.#live.send(command, by);
    throw new InvalidState(this.state(), wordOf(command), refusalOf(command, this.runState));
  }

  #tell(...told: Parameters<JournalListener>): void {
    this.#source.run.notifier?.hear(...told);
    for (const listener of this.#listeners) {
      try {
        listener(...told);
      } catch {
        // A listener that throws is not told again: the run does not depend on who watches it.
        this.#listeners.delete(listener);
      }
    }
  }
}
