import { plural } from '../model/figures.js';
import type { FailureModel } from '../model/failure-model.js';
import { leafText } from './leaves.js';
import { type SavedUnit, type Tried, usedBy } from './outcomes.js';
import type { TracedRun } from './trace-run.js';
import { findFrontier, type FrontierPoint } from './validate.js';

/** With fewer labelled runs, what a policy would lose is anybody's guess. */
export const LEAST_RUNS = 50;
/** With fewer of these runs priced, model calls are counted in place of dollars. */
const PRICED_SHARE = 0.9;

export interface TuneOptions {
  /** The share of the goals that may be lost. */
  readonly lose: number;
  /** Also conditions that count iterations, where these are the model calls of imported runs. */
  readonly countsCalls: boolean;
}

/** What recorded runs say about when it is better to give up. */
export interface Tuning {
  readonly runs: number;
  readonly goals: number;
  readonly tasks: number;
  readonly unit: SavedUnit;
  /** What all runs used, and the part of it in runs that reached no goal. */
  readonly used: number;
  readonly usedWithoutGoal: number;
  /** Left out, because what they cost is not known. */
  readonly unpriced: number;
  /** Iterations are model calls in these runs, so conditions that count iterations were not tried. */
  readonly leavesOutIterations: boolean;
  readonly policiesTried: number;
  readonly frontier: readonly FrontierPoint[];
  readonly model?: FailureModel | undefined;
  /** The point that saves most within what may be lost; undefined when none certainly saves something. */
  readonly recommended?: FrontierPoint | undefined;
  /** Why there is no frontier. */
  readonly tooLittle?: string | undefined;
}

/** Pure: the same runs give the same answer. */
export function tuneRuns(labelled: readonly TracedRun[], { lose, countsCalls }: TuneOptions): Tuning {
  const priced = labelled.filter(({ isPriced }) => isPriced);
  const unit: SavedUnit = priced.length > 0 && priced.length >= labelled.length * PRICED_SHARE ? 'dollars' : 'calls';
  const runs = (unit === 'dollars' ? priced : labelled).toSorted(byName);
  const goals = runs.filter(({ isGoal }) => isGoal);
  const areOfCalls = runs.some(({ isOfCalls }) => isOfCalls);
  const sum = (some: readonly TracedRun[]) => some.reduce((total, run) => total + usedBy(run, unit), 0);
  const about = {
    runs: runs.length,
    goals: goals.length,
    tasks: new Set(runs.map(({ task }) => task)).size,
    unit,
    used: sum(runs),
    usedWithoutGoal: sum(runs.filter(({ isGoal }) => !isGoal)),
    unpriced: labelled.length - runs.length,
    leavesOutIterations: areOfCalls && !countsCalls,
  };
  const tooLittle = tooLittleText(about);
  if (tooLittle !== undefined) return { ...about, policiesTried: 0, frontier: [], tooLittle };
  const { points, model, policiesTried } = findFrontier(runs, unit, { countsCalls: countsCalls || !areOfCalls });
  return { ...about, policiesTried, frontier: points, model, recommended: bestOf(points, lose) };
}

/** So that sums are the same whatever the order. */
function byName(a: TracedRun, b: TracedRun): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function tooLittleText({ runs, goals, tasks }: { runs: number; goals: number; tasks: number }): string | undefined {
  if (runs < LEAST_RUNS)
    return `too few to estimate what a policy would lose: that takes at least ${LEAST_RUNS} labelled runs`;
  if (goals === 0)
    return 'none of the labelled runs reached its goal: there is nothing to lose, and nothing to learn from';
  if (goals === runs) return 'every labelled run reached its goal: there is nothing to save';
  if (tasks < 10)
    return `the labelled runs are of only ${plural(tasks, 'task')}: a policy learned from some cannot be tested on others`;
  return undefined;
}

/** By what it showed on runs that it was not chosen by. It has to save something with confidence. */
function bestOf(points: readonly FrontierPoint[], lose: number): FrontierPoint | undefined {
  return points
    .filter(({ tried, validated }) => {
      const { goalsLost, goals, savedInterval } = validated;
      return tried !== undefined && goalsLost <= goals * lose && savedInterval[0] > 0;
    })
    .toSorted((a, b) => b.validated.savedShare - a.validated.savedShare)[0];
}

/** A condition, or several of which all must be met, in one line. */
export function triedText(tried: Tried): string {
  if ('above' in tried) return `likely_to_fail above ${tried.above}`;
  return tried.leaves.map(leafText).join(' and ');
}

/** The `stop:` block of a config. */
export function stopBlock(tried: Tried, modelFile: string): string {
  if ('above' in tried)
    return block('failure', `likely_to_fail: { model: ${JSON.stringify(modelFile)}, above: ${tried.above} }`);
  const [first, second] = tried.leaves;
  if (first === undefined) return 'stop: {}\n';
  if (second !== undefined) return block('failure', `all: [{ ${leafText(first)} }, { ${leafText(second)} }]`);
  return block(first.isLimit ? 'limits' : 'failure', leafText(first));
}

function block(list: string, condition: string): string {
  return `stop:\n  ${list}:\n    - ${condition}\n`;
}
