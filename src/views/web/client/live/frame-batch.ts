/** As much of a frame as may be used before the browser gets its turn. */
const MOST_MS = 8;

/** What arrives within a frame is handled together, and much of it over several frames. */
export function createFrameBatch<T>(handle: (batch: Iterable<T>) => void): {
  readonly add: (item: T) => void;
  readonly clear: () => void;
} {
  let waiting: T[] = [];
  let frame: number | undefined;

  function* whileThereIsTime(): Generator<T, void, void> {
    const started = performance.now();
    let taken = 0;
    for (const item of waiting) {
      if (performance.now() - started > MOST_MS) break;
      taken += 1;
      yield item;
    }
    waiting = waiting.slice(taken);
  }

  const run = () => {
    frame = undefined;
    handle(whileThereIsTime());
    if (waiting.length > 0) frame ??= requestAnimationFrame(run);
  };

  return {
    add(item) {
      waiting.push(item);
      frame ??= requestAnimationFrame(run);
    },
    clear() {
      waiting = [];
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
    },
  };
}
