import type { ServerResponse } from 'node:http';
import { EventStream } from './event-stream.js';
import { Refusal } from './refusal.js';

const MOST_STREAMS = 100;

/** Each stream holds a connection and looks at files: there is an end to how many. */
export class StreamSlots {
  #taken = 0;

  /** The slot is free again when the page is gone, whatever whoever feeds it still does. Throws a Refusal. */
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
