import type { FailureModel } from '../model/failure-model.js';
import { ratioInterval, type Interval, seeded, shareInterval } from './intervals.js';
import {
  leafOutcomes,
  modelOutcomes,
  modelStops,
  type Outcomes,
  type SavedUnit,
  type Stop,
  type Tried,
  usedBy,
} from './outcomes.js';
import type { TracedRun } from './trace-run.js';
import { trainModel } from './train-model.js';

export type Family = 'single' | 'conjunction' | 'likely_to_fail';
export const FAMILIES: readonly Family[] = ['single', 'conjunction', 'likely_to_fail'];

/** Shares of the goals that a policy may lose in the runs that it is chosen by. */
export const LEVELS: readonly number[] = [0, 0.01, 0.02, 0.05, 0.1];

const FOLDS = 5;

/** What runs show of a way to choose a policy, where none of them was there when it was chosen. */
export interface Validated {
  readonly saved: number;
  /** Of what all runs used. */
  readonly savedShare: number;
  readonly savedInterval: Interval;
  /** The part of it in runs that reached no goal. */
  readonly savedOfFailures: number;
  readonly goalsLost: number;
  readonly goals: number;
  readonly lostInterval: Interval;
  /** Runs stopped before their end, and the names of those that would have reached their goal. */
  readonly stopped: number;
  readonly stoppedTooEarly: readonly string[];
}

/** One point of the frontier: what was allowed, what it was chosen to be on all runs, and what to expect of it. */
export interface FrontierPoint {
  readonly family: Family;
  readonly level: number;
  /** Chosen by all runs; undefined when none saves anything within the level. */
  readonly tried?: Tried | undefined;
  /** On the runs that it was chosen by: better than what is to be expected. */
  readonly inSample?: { readonly savedShare: number; readonly goalsLost: number } | undefined;
  readonly validated: Validated;
}

export interface Frontier {
  readonly points: readonly FrontierPoint[];
  /** Trained on all runs. */
  readonly model?: FailureModel | undefined;
  readonly policiesTried: number;
}

export interface FrontierOptions {
  readonly countsCalls: boolean;
  /** Which of the many ways to divide the tasks. */
  readonly division?: number;
}

interface Runs {
  readonly runs: readonly TracedRun[];
  readonly unit: SavedUnit;
  readonly used: readonly number[];
}

/**
 * The frontier of saving against goals lost, validated across tasks: a policy is chosen, and a model trained, without the runs
 * of a fifth of the tasks, and judged on these. The threshold of a model is chosen by runs that the model had not seen either.
 */
export function findFrontier(
  runs: readonly TracedRun[],
  unit: SavedUnit,
  { countsCalls, division = 1 }: FrontierOptions,
): Frontier {
  const about: Runs = { runs, unit, used: runs.map((run) => usedBy(run, unit)) };
  const leaves = leafOutcomes(runs, unit, { countsCalls });
  const singles = leaves.filter(({ tried }) => tried.leaves.length === 1);
  const all = runs.map((_, index) => index);
  const folds = foldsOf(runs, all, division);
  const own = modelOf(about, all);
  const points = FAMILIES.flatMap((family) => {
    const tables = folds.map((test) => {
      const training = all.filter((index) => !test.has(index));
      if (family === 'likely_to_fail') return { test, training, ...modelOf(about, training) };
      const known = family === 'single' ? singles : leaves;
      return { test, training, chosenBy: known, appliesTo: known };
    });
    const known = family === 'single' ? singles : leaves;
    const { chosenBy, appliesTo } = family === 'likely_to_fail' ? own : { chosenBy: known, appliesTo: known };
    return LEVELS.map((level): FrontierPoint => {
      const place = choose(chosenBy, about, all, level);
      const chosen = place === undefined ? undefined : appliesTo[place];
      const result = apply(about, tables, level);
      return {
        family,
        level,
        tried: chosen?.tried,
        inSample: chosen === undefined ? undefined : inSampleOf(chosen, about),
        validated: summarise(about, result),
      };
    });
  });
  return { points, model: own.model, policiesTried: leaves.length + own.chosenBy.length };
}

interface Table {
  readonly test: ReadonlySet<number>;
  readonly training: readonly number[];
  /** What the training runs say, and what the test runs say of the same policies. */
  readonly chosenBy: readonly Outcomes[];
  readonly appliesTo: readonly Outcomes[];
}

/** A model of these runs: what it says of all runs, and what models without them say of each of these. */
function modelOf(
  { runs, unit }: Runs,
  training: readonly number[],
): {
  readonly model?: FailureModel | undefined;
  readonly chosenBy: readonly Outcomes[];
  readonly appliesTo: readonly Outcomes[];
} {
  const pick = (indexes: readonly number[]) => indexes.flatMap((index) => runs[index] ?? []);
  const model = trainModel(pick(training));
  if (model === undefined) return { chosenBy: [], appliesTo: [] };
  const unseen = new Map<number, readonly (Stop | undefined)[]>();
  for (const fold of foldsOf(runs, training, 1000)) {
    const inner = trainModel(pick(training.filter((index) => !fold.has(index))));
    for (const index of fold) {
      const run = runs[index];
      if (inner !== undefined && run !== undefined) unseen.set(index, modelStops(inner, run, unit));
    }
  }
  const none: readonly undefined[] = [];
  return {
    model,
    chosenBy: modelOutcomes(runs.map((_, index) => unseen.get(index) ?? none)),
    appliesTo: modelOutcomes(runs.map((run) => modelStops(model, run, unit))),
  };
}

/** The runs of a task are in one fold. Which one does not depend on their order. */
export function foldsOf(
  runs: readonly TracedRun[],
  indexes: readonly number[],
  seed: number,
): readonly ReadonlySet<number>[] {
  const tasks = [...new Set(indexes.map((index) => runs[index]?.task ?? ''))].toSorted();
  const next = seeded(seed);
  const shuffled = tasks
    .map((task) => ({ task, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ task }) => task);
  const foldOf = new Map(shuffled.map((task, place) => [task, place % FOLDS]));
  return Array.from(
    { length: FOLDS },
    (_, fold) => new Set(indexes.filter((index) => foldOf.get(runs[index]?.task ?? '') === fold)),
  );
}

/** The one that saves most of those that lose no more goals than allowed; of equal ones that which loses fewer. */
function choose(
  policies: readonly Outcomes[],
  { runs }: Runs,
  rows: readonly number[],
  level: number,
): number | undefined {
  const goals = rows.filter((row) => runs[row]?.isGoal === true);
  const allowed = Math.floor(goals.length * level);
  let best: { readonly place: number; readonly saved: number; readonly lost: number } | undefined;
  for (const [place, { saved, stopped }] of policies.entries()) {
    let lost = 0;
    for (const row of goals) lost += stopped[row] ?? 0;
    if (lost > allowed) continue;
    let sum = 0;
    for (const row of rows) sum += saved[row] ?? 0;
    if (sum <= 0) continue;
    if (best === undefined || sum > best.saved || (sum === best.saved && lost < best.lost))
      best = { place, saved: sum, lost };
  }
  return best?.place;
}

interface Result {
  readonly saved: number;
  readonly stopped: boolean;
}

/** Each run under the policy that was chosen without its task. */
function apply(about: Runs, tables: readonly Table[], level: number): readonly Result[] {
  const results = about.runs.map((): Result => ({ saved: 0, stopped: false }));
  for (const { test, training, chosenBy, appliesTo } of tables) {
    const place = choose(chosenBy, about, training, level);
    const chosen = place === undefined ? undefined : appliesTo[place];
    if (chosen === undefined) continue;
    for (const row of test) results[row] = { saved: chosen.saved[row] ?? 0, stopped: chosen.stopped[row] === 1 };
  }
  return results;
}

function inSampleOf({ saved, stopped }: Outcomes, { runs, used }: Runs): { savedShare: number; goalsLost: number } {
  const all = used.reduce((sum, value) => sum + value, 0);
  return {
    savedShare: all === 0 ? 0 : saved.reduce((sum, value) => sum + value, 0) / all,
    goalsLost: runs.filter(({ isGoal }, row) => isGoal && stopped[row] === 1).length,
  };
}

function summarise({ runs, used }: Runs, results: readonly Result[]): Validated {
  const groups = new Map<string, { part: number; whole: number }>();
  let savedOfFailures = 0;
  for (const [row, { task, isGoal }] of runs.entries()) {
    const group = groups.get(task) ?? { part: 0, whole: 0 };
    groups.set(task, group);
    const saved = results[row]?.saved ?? 0;
    group.part += saved;
    group.whole += used[row] ?? 0;
    if (!isGoal) savedOfFailures += saved;
  }
  const all = [...groups.values()];
  const saved = all.reduce((sum, { part }) => sum + part, 0);
  const whole = all.reduce((sum, group) => sum + group.whole, 0);
  const lost = runs.filter(({ isGoal }, row) => isGoal && results[row]?.stopped === true);
  const goals = runs.filter(({ isGoal }) => isGoal).length;
  return {
    saved,
    savedShare: whole === 0 ? 0 : saved / whole,
    savedInterval: ratioInterval(all, seeded(3)),
    savedOfFailures,
    goalsLost: lost.length,
    goals,
    lostInterval: shareInterval(lost.length, goals),
    stopped: results.filter(({ stopped }) => stopped).length,
    stoppedTooEarly: lost.map(({ name }) => name),
  };
}
