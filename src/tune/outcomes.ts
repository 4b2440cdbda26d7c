import { type FailureModel, predict } from '../model/failure-model.js';
import { isLive } from '../stop/evaluate-policy.js';
import { type Leaf, LEAVES } from './leaves.js';
import type { TracedRun } from './trace-run.js';

/** What is saved: dollars, or model calls where the runs have no price. */
export type SavedUnit = 'dollars' | 'calls';

/** What a policy that stops a run there saves of it; undefined where it does not stop it before its end. */
export interface Stop {
  readonly iterations: number;
  readonly saved: number;
}

/** Conditions that stop a run together, or a likelihood to fail. */
export type Tried = { readonly leaves: readonly Leaf[] } | { readonly above: number };

/** What one policy made of all runs, in their order. */
export interface Outcomes<T extends Tried = Tried> {
  readonly tried: T;
  readonly saved: Float64Array;
  /** 1 where a run was stopped before its end. */
  readonly stopped: Uint8Array;
}

/** How much a run used, in the unit. */
export function usedBy({ costUsd = 0, iterations }: TracedRun, unit: SavedUnit): number {
  return unit === 'dollars' ? costUsd : iterations;
}

function stopAt(run: TracedRun, index: number, unit: SavedUnit): Stop | undefined {
  const moment = run.moments[index];
  if (moment === undefined) return undefined;
  const { iterations, costUsd } = moment;
  const saved = unit === 'calls' ? run.iterations - iterations : (run.costUsd ?? 0) - (costUsd ?? run.costUsd ?? 0);
  return { iterations, saved: Math.max(0, saved) };
}

/** For each leaf and run: one bit for each moment. */
export class LeafBits {
  readonly #runs: readonly RunBits[];

  constructor(runs: readonly TracedRun[]) {
    this.#runs = runs.map(bitsOf);
  }

  /** The first moment at which all of these are met; -1 for none. */
  first(run: number, leaves: readonly number[], judged: Judged): number {
    const { words, bits, masks } = this.#runs[run] ?? NO_BITS;
    const mask = masks[maskIndex(judged)];
    for (let word = 0; word < words; word += 1) {
      let both = mask?.[word] ?? 0;
      for (const leaf of leaves) both &= bits[leaf * words + word] ?? 0;
      if (both !== 0) return word * 32 + (31 - Math.clz32(both & -both));
    }
    return -1;
  }

  outcomes(
    runs: readonly TracedRun[],
    unit: SavedUnit,
    indexes: readonly number[],
  ): Outcomes<{ leaves: readonly Leaf[] }> {
    const leaves = indexes.flatMap((index) => LEAVES[index] ?? []);
    const judged = {
      areLive: leaves.every(({ condition }) => isLive(condition)),
      isTimed: leaves.some(({ isTimed }) => isTimed),
    };
    const stops = runs.map((run, index) => stopAt(run, this.first(index, indexes, judged), unit));
    return { tried: { leaves }, ...columns(stops) };
  }
}

/** At which moments a policy is judged. */
interface Judged {
  readonly areLive: boolean;
  readonly isTimed: boolean;
}

interface RunBits {
  readonly words: number;
  readonly bits: Uint32Array;
  /** The moments at which a policy is judged, by `maskIndex`. */
  readonly masks: readonly Uint32Array[];
}

const NO_BITS: RunBits = { words: 0, bits: new Uint32Array(), masks: [] };

function maskIndex({ areLive, isTimed }: Judged): number {
  return (areLive ? 2 : 0) + (isTimed ? 1 : 0);
}

function bitsOf({ moments, met }: TracedRun): RunBits {
  const words = Math.ceil(moments.length / 32);
  const bits = new Uint32Array(words * LEAVES.length);
  const masks = [0, 1, 2, 3].map(() => new Uint32Array(words));
  for (const [index, { isLive: isInIteration, isTimed }] of moments.entries()) {
    const [word, bit] = [index >>> 5, 1 << (index & 31)];
    for (const areLive of isInIteration ? [true] : [false, true]) {
      for (const timed of isTimed ? [true] : [false, true]) {
        const mask = masks[maskIndex({ areLive, isTimed: timed })];
        if (mask !== undefined) mask[word] = (mask[word] ?? 0) | bit;
      }
    }
    for (const leaf of met[index] ?? []) bits[leaf * words + word] = (bits[leaf * words + word] ?? 0) | bit;
  }
  return { words, bits, masks };
}

function columns(stops: readonly (Stop | undefined)[]): Pick<Outcomes, 'saved' | 'stopped'> {
  return {
    saved: Float64Array.from(stops, (stop) => stop?.saved ?? 0),
    stopped: Uint8Array.from(stops, (stop) => (stop === undefined ? 0 : 1)),
  };
}

/** As `all: [...]` with one or two conditions of different types. Those that stop nothing, or the same as another, are left out. */
export function leafOutcomes(
  runs: readonly TracedRun[],
  unit: SavedUnit,
  { countsCalls }: { readonly countsCalls: boolean },
): readonly Outcomes<{ leaves: readonly Leaf[] }>[] {
  const bits = new LeafBits(runs);
  // Where spend is not known, a budget blocks a run: that is no way to save.
  const unknown = new Set(runs.flatMap(({ unknownTypes }) => [...unknownTypes]));
  const usable = [...LEAVES.entries()]
    .filter(([, { type, countsIterations }]) => !unknown.has(type) && (countsCalls || !countsIterations))
    .map(([index]) => index);
  const seen = new Set<string>();
  const isNew = (one: Outcomes) => {
    const key = one.saved.join(' ');
    if (seen.has(key) || !one.stopped.includes(1)) return false;
    seen.add(key);
    return true;
  };
  const singles = usable.map((index) => bits.outcomes(runs, unit, [index])).filter(isNew);
  const kept = usable.filter((index) => singles.some(({ tried }) => tried.leaves[0] === LEAVES[index]));
  const pairs = kept.flatMap((first, place) =>
    kept
      .slice(place + 1)
      .filter((second) => LEAVES[first]?.type !== LEAVES[second]?.type)
      .map((second) => bits.outcomes(runs, unit, [first, second]))
      .filter(isNew),
  );
  return [...singles, ...pairs];
}

/** Likelihoods that are tried: whole twentieths, and finer ones where most of the goals are. */
export const LIKELIHOODS: readonly number[] = [
  0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98,
  0.99,
];

/** Where `likely_to_fail` stops a run, by likelihood. What is unknown stops nothing. */
export function modelStops(model: FailureModel, run: TracedRun, unit: SavedUnit): readonly (Stop | undefined)[] {
  const found = LIKELIHOODS.map(() => -1);
  let next = 0;
  for (const [index, { facts, isTimed }] of run.moments.entries()) {
    if (isTimed) continue;
    const prediction = predict(model, facts);
    if ('missing' in prediction) continue;
    while (next < LIKELIHOODS.length && prediction.probability >= (LIKELIHOODS[next] ?? 2)) {
      found[next] = index;
      next += 1;
    }
    if (next === LIKELIHOODS.length) break;
  }
  return found.map((index) => stopAt(run, index, unit));
}

/** The same for all runs, each by the model that has not seen it. */
export function modelOutcomes(
  stops: readonly (readonly (Stop | undefined)[])[],
): readonly Outcomes<{ above: number }>[] {
  return LIKELIHOODS.map((above, index) => ({ tried: { above }, ...columns(stops.map((row) => row[index])) }));
}
