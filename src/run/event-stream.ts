import type { RunEvent } from '../model/run-event.js';

/** Listens until the function that it returns is called. */
export type Subscribe = (listener: (event: RunEvent) => void) => () => void;

/** Events as they are recorded, from now on, up to the end of the run. What is not read yet waits. */
export function eventStream(subscribe: Subscribe): AsyncIterable<RunEvent> {
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
