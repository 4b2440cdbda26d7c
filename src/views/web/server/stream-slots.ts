import type { ServerResponse } from 'node:http';
import { EventStream, message } from './event-stream.js';
import { Refusal } from './refusal.js';
import type { RunList, RunRow } from '../wire/api.js';
import { betweenLooks, type RunIndex } from './run-index.js';

const MOST_STREAMS = 100;

/** Each stream holds a connection and looks at files: there is an end to how many. */
export class StreamSlots {
  #taken = 0;

  /** The slot is free again when the page is gone, whatever anyone who feeds it still does. Throws a Refusal. */
  take(response: ServerResponse): EventStream {
    if (this.#taken >= MOST_STREAMS) {
      const message = `${MOST_STREAMS} pages are open already; close some`;
      throw new Refusal(503, message, { headers: { 'retry-after': '10' } });
    }
    const stream = new EventStream(response);
    // A page that has gone already would never be heard of again.
    if (stream.signal.aborted) return stream;
    this.#taken += 1;
    stream.signal.addEventListener('abort', () => (this.#taken -= 1), { once: true });
    return stream;
  }
}

/** The list, then what changes of it, until the page is gone. */
export async function streamList(stream: EventStream, index: RunIndex): Promise<void> {
  let before = await index.list();
  await stream.send(message('list', before));
  while (!stream.signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- inspected again after a while
    await betweenLooks(stream.signal);
    // oxlint-disable-next-line no-await-in-loop -- as above
    const now = await index.list();
    const text = changes(before, now);
    // oxlint-disable-next-line no-await-in-loop -- a page that is behind is sent what is true by then
    if (text !== '') await stream.send(text);
    before = now;
  }
}

/** Each row that is new or another one now, and each that is gone. */
function changes(before: RunList, now: RunList): string {
  if (before === now) return '';
  if (before.problems.join('\n') !== now.problems.join('\n')) return message('list', now);
  const known = new Map(before.runs.map((row) => [row.runId, row]));
  const changed = now.runs.filter((row) => isOther(known.get(row.runId), row));
  const left = new Set(now.runs.map(({ runId }) => runId));
  const gone = before.runs.filter(({ runId }) => !left.has(runId));
  return [...changed.map((row) => message('run', row)), ...gone.map(({ runId }) => message('gone', { runId }))].join(
    '',
  );
}

function isOther(before: RunRow | undefined, now: RunRow): boolean {
  return before !== now && JSON.stringify(before) !== JSON.stringify(now);
}
