/** What a promise comes to; undefined when it has not come to anything within a while after the signal. */
export async function settledOr<T>(promise: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new AbortController();
  const givenUp = new Promise<undefined>((resolve) => {
    const begin = (): void => {
      timer = setTimeout(() => resolve(undefined), graceMs);
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([promise, givenUp]);
  } finally {
    over.abort();
    clearTimeout(timer);
    // No one waits for it any more.
    promise.catch(() => undefined);
  }
}
