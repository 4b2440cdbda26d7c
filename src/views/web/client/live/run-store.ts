/** V1: what is shown is the fold of the record, whenever the page was opened. */
import type { RunEvent } from '../../../../model/run-event.js';
import type { Liveness, ViewedRun } from '../../wire/api.js';
import { ViewFold } from '../../wire/run-view.js';
import { type Connection, openStream } from './event-stream.js';
import { createFrameBatch } from './frame-batch.js';
import { problemFrom, request, type RequestProblem } from './request.js';
import { createStore, type Store } from './store.js';

export interface RunSnapshot {
  readonly viewed?: ViewedRun | undefined;
  readonly problem?: RequestProblem | undefined;
  readonly connection: Connection;
  /** What the server says of it. */
  readonly words?: string | undefined;
}

const RETRY_MS = 3000;
/** A run that has just begun may not have been found yet. */
const MOST_MISSES = 2;
const MISSED_RETRY_MS = 1000;

/** A run as it is now: its fold, asked for once, and every event that follows it. */
export function createRunStore(runId: string): RunStore {
  const store = new RunStore(`/api/runs/${encodeURIComponent(runId)}`);
  void store.begin();
  return store;
}

class RunStore {
  readonly #path: string;
  readonly #store: Store<RunSnapshot> = createStore<RunSnapshot>({ connection: 'connecting' });
  readonly #batch = createFrameBatch<RunEvent>((events) => this.#fold(events));
  #endStream: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #misses = 0;

  readonly get = this.#store.get;
  readonly subscribe = this.#store.subscribe;

  constructor(path: string) {
    this.#path = path;
  }

  async begin(): Promise<void> {
    try {
      const viewed = await request<ViewedRun>(this.#path);
      if (this.#isClosed) return;
      this.#change({ viewed, problem: undefined });
      this.#endStream = this.#follow();
    } catch (thrown) {
      if (this.#isClosed) return;
      const problem = problemFrom(thrown);
      if (problem.isNotFound && this.#isMissed()) return this.#end(problem);
      this.#change({ problem, connection: problem.isNotFound ? 'connecting' : 'lost' });
      const retryMs = problem.isNotFound ? MISSED_RETRY_MS : RETRY_MS;
      if (!problem.isUnauthorized) this.#timer = setTimeout(() => void this.begin(), retryMs);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#batch.clear();
    this.#endStream?.();
  }

  #change(part: Partial<RunSnapshot>): void {
    this.#store.set({ ...this.get(), ...part });
  }

  #follow(): () => void {
    return openStream({
      url: () => `${this.#path}/events?after=${this.get().viewed?.view.state.seq ?? 0}`,
      on: {
        record: (event) => this.#batch.add(event as RunEvent),
        live: (liveness) => {
          const { viewed } = this.get();
          if (viewed !== undefined) this.#change({ viewed: { ...viewed, ...(liveness as Liveness) } });
        },
        'start-over': () => this.#startOver(),
        gone: () => this.#end(undefined),
      },
      onConnection: (connection, words) => {
        if (connection === 'gone') return this.#end(undefined);
        this.#change({ connection, words });
        if (connection === 'full') void this.#ask();
      },
    });
  }

  /** Without a stream it is asked for each time that one was not to be had. */
  async #ask(): Promise<void> {
    const viewed = await request<ViewedRun>(this.#path).catch(() => undefined);
    if (viewed === undefined || this.#isClosed || this.get().connection !== 'full') return;
    if (viewed.view.state.seq >= (this.get().viewed?.view.state.seq ?? 0)) this.#change({ viewed });
  }

  #isMissed(): boolean {
    this.#misses += 1;
    return this.get().viewed !== undefined || this.#misses > MOST_MISSES;
  }

  /** It was deleted, or never was: there is nothing more to come. */
  #end(problem: RequestProblem | undefined): void {
    this.#endStream?.();
    this.#endStream = undefined;
    this.#batch.clear();
    this.#change({ problem, connection: 'gone', words: undefined });
  }

  #fold(events: Iterable<RunEvent>): void {
    const { viewed } = this.get();
    if (viewed === undefined) return;
    const fold = new ViewFold(viewed.view);
    for (const event of events) {
      // What is missing cannot be guessed.
      if (event.seq > fold.seq + 1) return this.#startOver();
      if (event.seq === fold.seq + 1) fold.add(event);
    }
    const { view } = fold;
    if (view !== viewed.view) this.#change({ viewed: { ...viewed, view } });
  }

  #startOver(): void {
    this.#endStream?.();
    this.#endStream = undefined;
    this.#batch.clear();
    void this.begin();
  }
}
