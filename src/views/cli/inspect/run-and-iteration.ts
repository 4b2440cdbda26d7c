import { ConfigError } from '../../../model/errors.js';
import { shortId } from '../../../words/short-id.js';

export interface RunAndIteration {
  readonly run?: string | undefined;
  readonly iteration?: number | undefined;
  /** The moment of the iteration at which the agent's tests were green is meant, not its end. */
  readonly isGreen?: true | undefined;
}

/** What a command takes for an iteration. */
export interface IterationForms {
  /** The lowest number. */
  readonly first?: 0 | 1;
  /** Also `3@green`. */
  readonly takesGreen?: true;
}

const SHORTEST_ID = 4;
const GREEN = '@green';

/** A number alone is an iteration of the latest run, unless a run begins with it. */
export function runAndIteration(
  reference: string | undefined,
  iteration: string | undefined,
  ids: readonly string[],
  forms: IterationForms = {},
): RunAndIteration {
  if (iteration !== undefined) {
    const found = readIteration(iteration, forms);
    if (found === undefined) throw noIteration(iteration, forms);
    return { run: reference, ...found };
  }
  if (reference === undefined) return {};
  // Every id begins with the same digits, so that a short number is none.
  const isRun =
    reference.length >= SHORTEST_ID && ids.some((runId) => shortId(runId).startsWith(reference.toUpperCase()));
  const found = isRun ? undefined : readIteration(reference, forms);
  if (found === undefined && reference.includes('@')) throw noIteration(reference, forms);
  return found ?? { run: reference };
}

function readIteration(word: string, { first = 1, takesGreen }: IterationForms): RunAndIteration | undefined {
  const isGreen = takesGreen === true && word.toLowerCase().endsWith(GREEN);
  const number = isGreen ? word.slice(0, -GREEN.length) : word;
  if (!/^\d{1,9}$/.test(number) || Number(number) < (isGreen ? 1 : first)) return undefined;
  return { iteration: Number(number), ...(isGreen ? { isGreen } : {}) };
}

function noIteration(word: string, { first = 1, takesGreen }: IterationForms): ConfigError {
  const numbers = first === 0 ? 'a number from 0 (before the first)' : 'a number from 1';
  const green = takesGreen === true ? `, or ${first === 0 ? 'one from 1 ' : ''}with ${GREEN}, such as 3${GREEN}` : '';
  const message = `${JSON.stringify(word)} is not an iteration; write ${numbers}${green}`;
  return new ConfigError([{ path: '', message }]);
}
