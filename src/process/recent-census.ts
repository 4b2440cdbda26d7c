import { type Census, takeCensus } from './process-table.js';

/** After a longer time so many may have come that a new look costs less than a search among them. */
const YOUNG_MS = 1000;

let last: { readonly census: Census; readonly atMs: number } | undefined;

/** Who is there now. */
export function lookForProcesses(): Census {
  const atMs = performance.now();
  last = { census: takeCensus(), atMs };
  return last.census;
}

/**
 * Who was there a moment ago: nobody that is started from now on is among them. A loop looks after the end of each process,
 * and that look serves for the next.
 */
export function recentCensus(): Census {
  return last !== undefined && performance.now() - last.atMs < YOUNG_MS ? last.census : lookForProcesses();
}
