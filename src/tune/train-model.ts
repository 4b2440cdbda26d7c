import { type FailureModel, FEATURES, type FeatureWeight, type Medians } from '../model/failure-model.js';
import type { Facts } from '../model/judging/facts.js';
import { solve } from './solve.js';
import type { TracedRun } from './trace-run.js';

/**
 * After so many tool calls a run is inspected, if it was still under way then: what is learned of a long run is not learned of
 * short ones that never came so far.
 */
const LANDMARKS = [2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 120, 150, 200, 250, 300, 400, 500, 700, 1000];
/** A feature that is known at fewer of these moments is left out. */
const KNOWN_SHARE = 0.95;
const STEPS = 25;
/** How far weights are held back: a prior of one standard deviation. */
const RIDGE = 1;

interface Sample {
  readonly values: readonly number[];
  readonly fails: 0 | 1;
}

interface Landmark {
  readonly isGoal: boolean;
  readonly facts: Facts;
}

/** Logistic regression by Newton's method. Undefined where all of the runs ended alike. The same runs give the same model. */
export function trainModel(runs: readonly TracedRun[]): FailureModel | undefined {
  const goals = runs.filter(({ isGoal }) => isGoal);
  if (goals.length === 0 || goals.length === runs.length) return undefined;
  const medians = mediansOf(goals);
  const landmarks = runs.flatMap((run) => landmarksOf(run).map((facts): Landmark => ({ isGoal: run.isGoal, facts })));
  const moments = landmarks.map(({ facts }) => facts);
  const known = Object.keys(FEATURES).filter((name) => isKnown(name, moments, medians));
  const all = landmarks.flatMap((landmark) => samplesOf(landmark, known, medians));
  if (all.length === 0) return undefined;
  const scales = known.map((_, index) => scaleOf(all, index));
  const used = known.flatMap((name, index) => {
    const scale = scales[index];
    return scale === undefined || scale.deviation < 1e-6 ? [] : [{ name, index, ...scale }];
  });
  const { bias, features } = fitRising(all, used);
  return {
    version: 1,
    bias: rounded(bias),
    features: Object.fromEntries(features),
    medians,
    trained: { runs: runs.length, goals: goals.length },
  };
}

interface Scaled {
  readonly name: string;
  readonly index: number;
  readonly mean: number;
  readonly deviation: number;
}

/**
 * More of each feature is a bad sign, and less of it no reason that a person would accept. One that speaks the other way in these
 * runs is left out, the strongest first.
 */
function fitRising(
  all: readonly Sample[],
  used: readonly Scaled[],
): { readonly bias: number; readonly features: readonly (readonly [string, FeatureWeight])[] } {
  const samples = all.map(({ values, ...sample }) => ({
    ...sample,
    values: [1, ...used.map(({ index, mean, deviation }) => ((values[index] ?? mean) - mean) / deviation)],
  }));
  const [bias = 0, ...weights] = fit(samples, used.length + 1);
  const lowest = Math.min(0, ...weights);
  if (lowest < 0) return fitRising(all, used.toSpliced(weights.indexOf(lowest), 1));
  const features = used.map(({ name, mean, deviation }, index) => {
    const weight = rounded(weights[index] ?? 0);
    return [name, { weight, mean: rounded(mean), deviation: rounded(deviation) }] as const;
  });
  return { bias, features };
}

/** Short enough to be read in a file; the deviation stays above 0. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function mediansOf(goals: readonly TracedRun[]): Medians {
  const costUsd = medianOf(goals.map(({ costUsd: own }) => own));
  const minutes = medianOf(goals.map(({ last }) => (last.activeMs === undefined ? undefined : last.activeMs / 60_000)));
  const outputTokens = medianOf(goals.map(({ last }) => last.spend.outputTokens));
  return {
    calls: medianOf(goals.map(({ last }) => last.toolUse?.calls)) ?? 1,
    ...(costUsd === undefined || costUsd <= 0 ? {} : { costUsd }),
    ...(minutes === undefined || minutes <= 0 ? {} : { minutes }),
    ...(outputTokens === undefined || outputTokens <= 0 ? {} : { outputTokens }),
  };
}

function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  const middle = known[Math.floor(known.length / 2)];
  return middle === undefined || known.length < values.length * KNOWN_SHARE ? undefined : rounded(middle);
}

function isKnown(name: string, moments: readonly Facts[], medians: Medians): boolean {
  const feature = FEATURES[name];
  const having = moments.filter((facts) => feature?.value(facts, medians) !== undefined);
  return moments.length > 0 && having.length >= moments.length * KNOWN_SHARE;
}

/** The first moment after each landmark. */
function landmarksOf({ moments }: TracedRun): readonly Facts[] {
  let next = 0;
  return moments.flatMap(({ facts }) => {
    const calls = facts.toolUse?.calls ?? 0;
    if (calls < (LANDMARKS[next] ?? Number.POSITIVE_INFINITY)) return [];
    while (calls >= (LANDMARKS[next] ?? Number.POSITIVE_INFINITY)) next += 1;
    return [facts];
  });
}

/** A moment at which one of the features is not known says nothing. */
function samplesOf({ isGoal, facts }: Landmark, names: readonly string[], medians: Medians): readonly Sample[] {
  const values = names.map((name) => FEATURES[name]?.value(facts, medians));
  return values.every((value) => value !== undefined) ? [{ values, fails: isGoal ? 0 : 1 }] : [];
}

function scaleOf(samples: readonly Sample[], index: number): { readonly mean: number; readonly deviation: number } {
  const values = samples.map((sample) => sample.values[index] ?? 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

function fit(samples: readonly Sample[], size: number): readonly number[] {
  let weights: readonly number[] = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step += 1) {
    const change = solve(...slopeOf(samples, weights));
    weights = weights.map((weight, index) => weight + (change[index] ?? 0));
    if (change.every((value) => Math.abs(value) < 1e-8)) break;
  }
  return weights;
}

/** The matrix and the vector of a Newton step. The bias is not held back. */
function slopeOf(samples: readonly Sample[], weights: readonly number[]): [number[][], number[]] {
  const size = weights.length;
  const slope = weights.map((weight, index) => (index === 0 ? 0 : -RIDGE * weight));
  const matrix = weights.map((_, row) =>
    weights.map((__, column): number => (row !== column ? 0 : row === 0 ? 1e-9 : RIDGE)),
  );
  for (const { values, fails } of samples) {
    let sum = 0;
    for (let index = 0; index < size; index += 1) sum += (weights[index] ?? 0) * (values[index] ?? 0);
    const probability = 1 / (1 + Math.exp(-sum));
    const curve = probability * (1 - probability);
    for (let row = 0; row < size; row += 1) {
      const value = values[row] ?? 0;
      slope[row] = (slope[row] ?? 0) + (fails - probability) * value;
      const line = matrix[row] ?? [];
      for (let column = 0; column < size; column += 1)
        line[column] = (line[column] ?? 0) + curve * value * (values[column] ?? 0);
    }
  }
  return [matrix, slope];
}
