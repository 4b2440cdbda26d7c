import { median } from '../measure.js';
import { type Cannot, failed, isCannot, type Runner } from './runner.js';

export type Samples = ReadonlyMap<string, number | Cannot>;

/**
 * The median of each runner over rounds that go through all of them in turn, so that a busy moment of the machine hits
 * all. A runner that cannot is asked once.
 */
export async function interleaved(
  runners: readonly Runner[],
  rounds: number | ((runner: Runner) => number),
  take: (runner: Runner) => Promise<number | Cannot>,
): Promise<Samples> {
  const roundsOf = typeof rounds === 'number' ? () => rounds : rounds;
  const taken = new Map<string, number[]>();
  const cannot = new Map<string, Cannot>();
  for (let round = 0; round < Math.max(0, ...runners.map(roundsOf)); round++) {
    for (const runner of runners) {
      if (cannot.has(runner.id) || round >= roundsOf(runner)) continue;
      const sample = await take(runner).catch(failed);
      if (typeof sample === 'object' && isCannot(sample)) cannot.set(runner.id, sample);
      else taken.set(runner.id, [...(taken.get(runner.id) ?? []), sample]);
    }
  }
  return new Map(runners.map(({ id }) => [id, cannot.get(id) ?? median(taken.get(id) ?? [])]));
}

/** A figure worked out from others; what one of them lacks, it lacks. */
export function derived(
  work: (...values: readonly number[]) => number,
  ...samples: readonly (number | Cannot | undefined)[]
): number | undefined {
  const values = samples.filter((sample) => typeof sample === 'number');
  return values.length === samples.length ? work(...values) : undefined;
}
