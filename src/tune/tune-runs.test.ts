import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { madeEvents, type MadeRun, plantedRuns, traced } from '../../test/support/tuned-runs.js';
import { tries } from '../../test/support/full-form.js';
import type { StopCondition } from '../model/condition.js';
import { parseCondition } from '../model/parse-condition.js';
import { backtest, isStoppedEarlier } from '../replay/backtest.js';
import { likelyToFail } from '../stop/conditions.js';
import { LEAVES } from './leaves.js';
import { LeafBits, LIKELIHOODS, modelStops } from './outcomes.js';
import { LEAST_RUNS, stopBlock, triedText, tuneRuns } from './tune-runs.js';
import { trainModel } from './train-model.js';
import { foldsOf } from './validate.js';

const OPTIONS = { lose: 0.01, countsCalls: false };
const planted = plantedRuns(120).map(traced);

const anyStep = fc.record(
  {
    costUsd: fc.constantFrom(0, 0.04, 0.2, 1),
    outputTokens: fc.constantFrom(0, 1000, 6000),
    command: fc.constantFrom('ls', 'npm test', 'cat > a', 'grep x'),
    toolFailed: fc.boolean(),
    failing: fc.constantFrom(0, 1, 2),
    error: fc.constantFrom('a', 'b'),
    contextPercent: fc.constantFrom(10, 25, 75),
    failed: fc.boolean(),
    ms: fc.constantFrom(0, 1000, 70_000, 600_000),
  },
  // What a budget makes of unknown spend is not tried.
  { requiredKeys: ['costUsd', 'outputTokens'] },
);
const anyRun = fc.record({
  name: fc.constant('r'),
  isGoal: fc.boolean(),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 14 }),
});

/** What the live judge makes of a run with this condition. */
function replayed(run: MadeRun, condition: StopCondition) {
  const policy = { success: [], failure: [condition], limits: [] };
  const [replay] = backtest([{ name: 'r', events: madeEvents(run) }], [{ name: 'x', policy }]).runs[0]?.replays ?? [];
  if (replay === undefined || !isStoppedEarlier(replay)) return undefined;
  return { iterations: replay.saved?.iterations, costUsd: replay.saved?.costUsd?.toFixed(6) };
}

describe('a policy that is searched', () => {
  it('stops a run exactly where the live judge stops it: any condition of the grid, and any two', () => {
    const place = fc.nat(LEAVES.length - 1);
    fc.assert(
      fc.property(anyRun, place, fc.option(place), (run, first, second) => {
        const own = traced(run);
        const indexes = second === null ? [first] : [first, second];
        const conditions = indexes.map((index) => LEAVES[index]?.condition as StopCondition);
        const all = second === null ? (conditions[0] as StopCondition) : parseCondition({ all: conditions });
        const bits = new LeafBits([own]);
        const { saved, stopped } = bits.outcomes([own], 'calls', indexes);
        const priced = bits.outcomes([own], 'dollars', indexes).saved[0] ?? 0;
        const live = replayed(run, all);
        expect(stopped[0] === 1).toBe(live !== undefined);
        if (live === undefined) return;
        expect(saved[0]).toBe(live.iterations);
        if (live.costUsd !== undefined) expect(priced.toFixed(6)).toBe(live.costUsd);
      }),
      { numRuns: tries(2000) },
    );
  });

  it('with likely_to_fail does so, too', () => {
    const model = trainModel(planted);
    if (model === undefined) throw new Error('nothing was learned');
    fc.assert(
      fc.property(anyRun, fc.nat(LIKELIHOODS.length - 1), (run, index) => {
        const own = modelStops(model, traced(run), 'calls')[index];
        const live = replayed(run, likelyToFail(model, LIKELIHOODS[index] ?? 1));
        expect(own?.saved).toBe(live?.iterations);
      }),
      { numRuns: tries(1000) },
    );
  });
});

describe('tuning', () => {
  const tuning = tuneRuns(planted, OPTIONS);

  it('finds what tells failing runs apart, and says what it would save on runs that it has not seen', () => {
    const { recommended, unit, goals, runs } = tuning;
    expect({ unit, goals, runs }).toEqual({ unit: 'dollars', goals: 80, runs: 120 });
    expect(recommended?.validated).toMatchObject({ goalsLost: 0, stoppedTooEarly: [] });
    expect(recommended?.validated.savedShare).toBeGreaterThan(0.3);
    expect(recommended?.validated.savedOfFailures).toBe(recommended?.validated.saved);
  });

  it('gives the same answer whatever the order of the runs', () => {
    const other = tuneRuns(planted.toReversed(), OPTIONS);
    expect(other.recommended).toEqual(tuning.recommended);
    expect(other.model?.trained).toEqual(tuning.model?.trained);
  });

  it(`recommends nothing for fewer than ${LEAST_RUNS} labelled runs`, () => {
    const { tooLittle, recommended, frontier } = tuneRuns(planted.slice(0, LEAST_RUNS - 1), OPTIONS);
    expect([recommended, frontier]).toEqual([undefined, []]);
    expect(tooLittle).toBe('too few to estimate what a policy would lose: that takes at least 50 labelled runs');
    expect(tuneRuns(planted.slice(0, LEAST_RUNS), OPTIONS).tooLittle).toBeUndefined();
  });

  it.each([
    ['no goal', planted.filter(({ isGoal }) => !isGoal), /reached its goal: there is nothing to lose/],
    ['only goals', planted.filter(({ isGoal }) => isGoal), /every labelled run reached its goal/],
    ['one task', planted.map((run) => ({ ...run, task: 'same' })), /of only 1 task:/],
  ])('recommends nothing where there is %s', (_, some, why) => {
    const enough = [...some, ...some, ...some].slice(0, 60);
    expect(tuneRuns(enough, OPTIONS)).toMatchObject({ tooLittle: expect.stringMatching(why), frontier: [] });
  });

  it('recommends nothing where the runs do not differ: chance does not pay', () => {
    const alike = plantedRuns(120).map((run, index) => traced({ ...run, isGoal: (index * 7919) % 5 < 3 }));
    const lengths = alike.map((run, index) => ({ ...run, name: `${index}` }));
    const { recommended } = tuneRuns(lengths, OPTIONS);
    expect(recommended).toBeUndefined();
  });

  it('never has runs of one task on both sides', () => {
    const runs = planted.map((run, index) => ({ ...run, task: `task ${index % 40}` }));
    const folds = foldsOf(runs, [...runs.keys()], 1);
    expect(folds.flatMap((fold) => [...fold]).toSorted((a, b) => a - b)).toEqual([...runs.keys()]);
    for (const fold of folds) {
      const inside = new Set([...fold].map((index) => runs[index]?.task));
      expect(runs.filter(({ task }, index) => inside.has(task) && !fold.has(index))).toEqual([]);
    }
  });

  it('does not try conditions that count iterations where these are model calls', () => {
    expect(tuning.leavesOutIterations).toBe(true);
    expect(tuning.frontier.some(({ tried }) => tried !== undefined && triedText(tried).includes('iterations'))).toBe(
      false,
    );
    expect(tuneRuns(planted, { ...OPTIONS, countsCalls: true }).leavesOutIterations).toBe(false);
  });

  it('counts model calls where the runs have no price', () => {
    const free = plantedRuns(60).map((run) =>
      traced({ ...run, steps: run.steps.map((step) => ({ ...step, costUsd: undefined })) }),
    );
    const { unit, model } = tuneRuns(free, OPTIONS);
    expect(unit).toBe('calls');
    expect(Object.keys(model?.features ?? {})).not.toContain('cost_against_median');
  });
});

it.each([
  ['max_cost', 'limits'],
  ['repeated_error', 'failure'],
] as const)('a %s goes into the list of %s of the block', (type, list) => {
  const leaf = LEAVES.find((one) => one.type === type);
  if (leaf === undefined) throw new Error('there is no such leaf');
  expect(stopBlock({ leaves: [leaf] }, 'm.json')).toMatch(new RegExp(`^stop:\n  ${list}:\n    - ${type}: `));
});
