/** V1: what is shown is the fold of the record, whenever the page was opened. */
import type { RunEvent } from '../../../../model/run-event.js';
import type { Liveness, ViewedRun } from '../../wire/api.js';
import { foldView } from '../../wire/run-view.js';
import { type Connection, openStream } from './event-stream.js';
import { createFrameBatch } from './frame-batch.js';
import { problemFrom, request, type RequestProblem } from './request.js';
import { createStore, type Store } from './store.js';

export interface RunSnapshot {
  readonly viewed?: ViewedRun | undefined;
  readonly problem?: RequestProblem | undefined;
  readonly connection: Connection;
}

const RETRY_MS = 3000;

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
      this.#change({ problem, connection: 'lost' });
      if (!problem.isUnauthorized) this.#timer = setTimeout(() => void this.begin(), RETRY_MS);
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
      },
      onConnection: (connection) => this.#change({ connection }),
    });
  }

  #fold(events: Iterable<RunEvent>): void {
    const { viewed } = this.get();
    if (viewed === undefined) return;
    let { view } = viewed;
    for (const event of events) {
      // What is missing cannot be guessed.
      if (event.seq > view.state.seq + 1) return this.#startOver();
      if (event.seq === view.state.seq + 1) view = foldView(view, event);
    }
    if (view !== viewed.view) this.#change({ viewed: { ...viewed, view } });
  }

  #startOver(): void {
    this.#endStream?.();
    this.#endStream = undefined;
    this.#batch.clear();
    void this.begin();
  }
}
