import { type History, historyOf } from '../model/history.js';
import { isTerminal } from '../model/loop-state.js';
import type { WaitingFor } from '../model/run-event.js';
import type { RunStatistics, SeenErrors } from './run-statistics.js';

/** What all runs together took, and what came of it. */
export interface Statistics extends History {
  readonly runs: number;
  /** By what ended them, `error` and `unfinished` among them. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly iterations: number;
  readonly activeMs: number;
  readonly cost: KnownSum;
  /** What reviews have spent of that, in the runs that had some and know it. */
  readonly reviews: { readonly usd: number; readonly runs: number };
  readonly goals: number;
  /** Everything that was spent, on all runs, for each goal that was met; undefined without one or when no cost is known. */
  readonly costPerGoalUsd?: number | undefined;
  readonly wasted: KnownSum;
  readonly waitedMs: Readonly<Partial<Record<WaitingFor, number>>>;
  readonly flakyTests: readonly { readonly name: string; readonly runs: number }[];
  /** Runs in which the tests of one tree gave different results. */
  readonly flakyRuns: number;
  /** Those of them in which no test was named. */
  readonly flakyUnnamedRuns: number;
  /** The most frequent first. */
  readonly errors: readonly (SeenErrors & { readonly runs: number })[];
}

/** A sum over the runs of which the figure is known. */
export interface KnownSum {
  readonly usd: number;
  readonly knownRuns: number;
  readonly unknownRuns: number;
}

export function summariseRuns(runs: readonly RunStatistics[]): Statistics {
  const cost = sumOf(runs.map(({ costUsd }) => costUsd));
  const reviews = runs.flatMap(({ reviewsUsd }) => reviewsUsd ?? []);
  const goals = runs.filter((run) => run.class === 'goal').length;
  return {
    runs: runs.length,
    outcomes: outcomesOf(runs),
    iterations: total(runs.map(({ iterations }) => iterations)),
    activeMs: total(runs.map(({ activeMs }) => activeMs)),
    cost,
    reviews: { usd: total(reviews), runs: reviews.length },
    goals,
    costPerGoalUsd: goals === 0 || cost.knownRuns === 0 ? undefined : cost.usd / goals,
    wasted: sumOf(runs.map(({ wastedUsd }) => wastedUsd)),
    waitedMs: waitsOf(runs),
    flakyTests: flakyOf(runs),
    flakyRuns: runs.filter(({ isFlaky }) => isFlaky).length,
    flakyUnnamedRuns: runs.filter(({ isFlaky, flakyTests }) => isFlaky && flakyTests.length === 0).length,
    errors: errorsOf(runs),
    ...historyOf(runs.map(({ history }) => history)),
  };
}

function outcomesOf(runs: readonly RunStatistics[]): Readonly<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (const run of runs) {
    const outcome = run.class ?? (run.status === 'error' ? 'error' : isTerminal(run.status) ? 'ended' : 'unfinished');
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

function sumOf(figures: readonly (number | undefined)[]): KnownSum {
  const known = figures.filter((figure) => figure !== undefined);
  return { usd: total(known), knownRuns: known.length, unknownRuns: figures.length - known.length };
}

function waitsOf(runs: readonly RunStatistics[]): Statistics['waitedMs'] {
  const waited: Partial<Record<WaitingFor, number>> = {};
  for (const [what, ms] of runs.flatMap(({ waitedMs }) => Object.entries(waitedMs) as [WaitingFor, number][])) {
    waited[what] = (waited[what] ?? 0) + ms;
  }
  return waited;
}

function flakyOf(runs: readonly RunStatistics[]): Statistics['flakyTests'] {
  const counts = new Map<string, number>();
  for (const name of runs.flatMap(({ flakyTests }) => flakyTests)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, inRuns]) => ({ name, runs: inRuns }))
    .toSorted((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}

function errorsOf(runs: readonly RunStatistics[]): Statistics['errors'] {
  const found = new Map<string, SeenErrors & { readonly runs: number }>();
  for (const error of runs.flatMap(({ errors }) => errors)) {
    const before = found.get(error.fingerprint) ?? { count: 0, runs: 0 };
    found.set(error.fingerprint, { ...error, count: before.count + error.count, runs: before.runs + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count || (a.fingerprint < b.fingerprint ? -1 : 1));
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}
