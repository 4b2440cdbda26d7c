import { predict } from '../../src/model/failure-model.js';
import { type SavedUnit, usedBy } from '../../src/tune/outcomes.js';
import { triedText } from '../../src/tune/tune-runs.js';
import { trainModel } from '../../src/tune/train-model.js';
import type { TracedRun } from '../../src/tune/trace-run.js';
import { findFrontier, foldsOf, type FrontierPoint } from '../../src/tune/validate.js';
import type { RealSet } from './read-set.js';

/** Ways to divide the tasks into fifths. The figures of one way are a matter of luck; of five it shows how much. */
const DIVISIONS = [1, 2, 3, 4, 5];

export interface StudiedPoint extends FrontierPoint {
  readonly chosen: string;
  /** Over all divisions. */
  readonly savedShares: readonly number[];
  readonly goalsLost: readonly number[];
}

export interface Study {
  readonly name: string;
  readonly runs: number;
  readonly goals: number;
  readonly tasks: number;
  readonly unit: SavedUnit;
  readonly used: number;
  readonly wastedShare: number;
  readonly done: number;
  readonly falselyDone: number;
  readonly points: readonly StudiedPoint[];
  /** How well a model that has not seen a run ranks it, at parts of its length: 0.5 is chance. */
  readonly ranking: readonly { readonly part: number; readonly area: number | undefined }[];
  readonly features: readonly string[];
}

export function studySet({ name, runs }: RealSet): Study {
  const unit: SavedUnit = runs.every(({ isPriced }) => isPriced) ? 'dollars' : 'calls';
  const frontiers = DIVISIONS.map((division) => findFrontier(runs, unit, { countsCalls: true, division }));
  const done = runs.filter(({ isDone }) => isDone);
  const sum = (some: readonly TracedRun[]) => some.reduce((total, run) => total + usedBy(run, unit), 0);
  const points = (frontiers[0]?.points ?? []).map((point, index): StudiedPoint => {
    const same = frontiers.flatMap((frontier) => frontier.points[index] ?? []);
    return {
      ...point,
      chosen: point.tried === undefined ? 'none' : triedText(point.tried),
      savedShares: same.map(({ validated }) => validated.savedShare),
      goalsLost: same.map(({ validated }) => validated.goalsLost),
    };
  });
  return {
    name,
    runs: runs.length,
    goals: runs.filter(({ isGoal }) => isGoal).length,
    tasks: new Set(runs.map(({ task }) => task)).size,
    unit,
    used: sum(runs),
    wastedShare: sum(runs.filter(({ isGoal }) => !isGoal)) / sum(runs),
    done: done.length,
    falselyDone: done.filter(({ isGoal }) => !isGoal).length,
    points,
    ranking: [0.25, 0.5, 0.75, 1].map((part) => ({ part, area: areaAt(runs, part) })),
    features: Object.keys(frontiers[0]?.model?.features ?? {}),
  };
}

/** The area under the curve: how often a failing run is taken for a likelier failure than one that reached its goal. */
function areaAt(runs: readonly TracedRun[], part: number): number | undefined {
  const scores: { readonly isGoal: boolean; readonly score: number }[] = [];
  const all = [...runs.keys()];
  for (const fold of foldsOf(runs, all, 1)) {
    const model = trainModel(runs.filter((_, index) => !fold.has(index)));
    if (model === undefined) return undefined;
    for (const index of fold) {
      const run = runs[index];
      const moment = run?.moments[Math.max(0, Math.ceil(run.moments.length * part) - 1)];
      const prediction = moment === undefined ? undefined : predict(model, moment.facts);
      if (run !== undefined && prediction !== undefined && 'probability' in prediction)
        scores.push({ isGoal: run.isGoal, score: prediction.probability });
    }
  }
  const [goals, failures] = [scores.filter(({ isGoal }) => isGoal), scores.filter(({ isGoal }) => !isGoal)];
  if (goals.length === 0 || failures.length === 0) return undefined;
  let right = 0;
  for (const failure of failures)
    for (const goal of goals) right += failure.score > goal.score ? 1 : failure.score === goal.score ? 0.5 : 0;
  return right / (goals.length * failures.length);
}
