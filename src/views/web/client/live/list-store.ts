import type { RunList, RunRow } from '../../wire/api.js';
import { type Connection, openStream } from './event-stream.js';
import { createFrameBatch } from './frame-batch.js';
import { request } from './request.js';
import { createStore, type Store } from './store.js';

export interface ListSnapshot {
  /** Undefined until they are known. */
  readonly runs?: readonly RunRow[] | undefined;
  readonly problems: readonly string[];
  readonly connection: Connection;
  /** What the server says of it. */
  readonly words?: string | undefined;
}

export interface ListStore extends Pick<Store<ListSnapshot>, 'get' | 'subscribe'> {
  readonly close: () => void;
}

type Change = (runs: Map<string, RunRow>) => void;

/** All runs, as long as someone looks at them. */
export function createListStore(): ListStore {
  const store = createStore<ListSnapshot>({ problems: [], connection: 'connecting' });
  const change = (part: Partial<ListSnapshot>) => store.set({ ...store.get(), ...part });
  const runs = new Map<string, RunRow>();
  const batch = createFrameBatch<Change>((changes) => {
    for (const apply of changes) apply(runs);
    change({ runs: [...runs.values()].sort(liveFirst) });
  });
  const showList = (list: RunList) => {
    change({ problems: list.problems });
    batch.add((known) => {
      known.clear();
      for (const run of list.runs) known.set(run.runId, run);
    });
  };
  let isClosed = false;
  /** Without a stream it is asked for each time that one was not to be had. */
  const ask = async () => {
    const list = await request<RunList>('/api/runs').catch(() => undefined);
    if (list !== undefined && !isClosed && store.get().connection === 'full') showList(list);
  };
  const end = openStream({
    url: () => '/api/runs/events',
    on: {
      list: (data) => showList(data as RunList),
      run: (data) => {
        const run = data as RunRow;
        batch.add((known) => known.set(run.runId, run));
      },
      gone: (data) => {
        const { runId } = data as { readonly runId: string };
        batch.add((known) => known.delete(runId));
      },
    },
    onConnection: (connection, words) => {
      change({ connection, words });
      if (connection === 'full') void ask();
    },
  });
  return {
    get: store.get,
    subscribe: store.subscribe,
    close() {
      isClosed = true;
      batch.clear();
      end();
    },
  };
}

/** Live ones, then the newest. */
function liveFirst(a: RunRow, b: RunRow): number {
  if (a.isLive !== b.isLive) return a.isLive ? -1 : 1;
  return compare(b.startedAt ?? b.at ?? '', a.startedAt ?? a.at ?? '') || compare(b.runId, a.runId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
