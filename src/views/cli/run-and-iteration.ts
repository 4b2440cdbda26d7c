import { ConfigError } from '../../model/errors.js';
import { shortId } from '../terminal/short-id.js';

export interface RunAndIteration {
  readonly run?: string | undefined;
  readonly iteration?: number | undefined;
}

const SHORTEST_ID = 4;

/** A number alone is an iteration of the latest run, unless a run begins with it. `first` is the lowest number. */
export function runAndIteration(
  reference: string | undefined,
  iteration: string | undefined,
  ids: readonly string[],
  first: 0 | 1 = 1,
): RunAndIteration {
  const isNumber = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= first;
  if (iteration !== undefined) {
    if (isNumber(iteration)) return { run: reference, iteration: Number(iteration) };
    const message = `${JSON.stringify(iteration)} is not the number of an iteration`;
    throw new ConfigError([{ path: '', message }]);
  }
  // Every id begins with the same digits, so that a short number is none.
  const isRun =
    (reference ?? '').length >= SHORTEST_ID &&
    ids.some((runId) => shortId(runId).startsWith(reference?.toUpperCase() ?? ''));
  if (reference !== undefined && isNumber(reference) && !isRun) return { iteration: Number(reference) };
  return { run: reference };
}
