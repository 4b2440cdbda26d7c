import { expect, it } from 'vitest';
import { condition } from '../../test/support/facts.js';
import type { ChecklistRecord } from '../model/checklist.js';
import { conditionKey } from '../model/condition-key.js';
import type { MetricRecord } from '../model/metric.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { bestToKeep, goalFigures } from './goal-figures.js';

const plan = condition({ checklist_done: 'PLAN.md' });
const p95 = (more: object = {}) => condition({ metric: { command: './p95', better: 'lower', patience: 3, ...more } });
const state = (goals: RunState['policy']['success'], more: Partial<RunState> = {}): RunState => ({
  ...INITIAL_STATE,
  policy: { success: goals, failure: [], limits: [] },
  ...more,
});
const list = (record: Partial<ChecklistRecord>) => {
  const checklists = { [conditionKey(plan)]: { mostBoxes: 12, fewestOpen: 5, ...record } };
  return goalFigures(state([plan], { checklists }))[0];
};
const metrics = (record: Partial<MetricRecord>) => ({ metrics: { 'lower ./p95': { stalled: 0, ...record } } });

it('a list says how many boxes are checked, or why that is not known', () => {
  expect(list({ checked: 7, total: 12 })).toMatchObject({
    kind: 'checklist',
    name: 'PLAN.md',
    text: '7 of 12 boxes',
    checked: 7,
    total: 12,
  });
  expect(list({ checked: 0, total: 0 })?.text).toBe('no boxes');
  expect(list({ problem: 'PLAN.md is too large' })).toMatchObject({
    text: 'PLAN.md is too large',
    problem: 'PLAN.md is too large',
  });
});

it('a metric says its value, the best one and the target', () => {
  const record = { start: 400, last: 212, best: { value: 200, iteration: 3 } };
  expect(goalFigures(state([p95({ target: 100 })], metrics(record)))).toEqual([
    {
      kind: 'metric',
      name: './p95',
      text: '212, best so far 200 in iteration 3, 400 at the start, target at most 100',
      value: 212,
      best: 200,
      bestIteration: 3,
      start: 400,
      target: 100,
      problem: undefined,
    },
  ]);
});

it('a metric without a target or a value says so', () => {
  expect(goalFigures(state([p95()], metrics({ problem: 'it printed NaN' })))).toMatchObject([
    { text: 'no value (it printed NaN)', value: undefined, best: undefined, problem: 'it printed NaN' },
  ]);
});

it('goals that were not observed, or have no figure, are left out; parts of a goal are not', () => {
  expect(goalFigures(state([plan, p95(), condition('all_tests_pass')]))).toEqual([]);
  const others = { metrics: {}, checklists: {} };
  expect(goalFigures(state([plan, p95(), condition({ file_created: 'x' })], others))).toEqual([]);
  const both = condition({ all: ['all_tests_pass', { metric: { command: './p95', better: 'lower', target: 1 } }] });
  expect(goalFigures(state([both], metrics({ last: 2 })))).toHaveLength(1);
});

it('the best result to keep is that of the metric that asks for it', () => {
  const best = { value: 200, iteration: 3, tree: 'abc' };
  const kept = [plan, condition('all_tests_pass'), p95({ keep_best: true })];
  expect(bestToKeep(state(kept, metrics({ best })))).toEqual(best);
  expect(bestToKeep(state([p95()], metrics({ best })))).toBeUndefined();
  expect(bestToKeep(state([p95({ keep_best: false })], metrics({ best })))).toBeUndefined();
  expect(bestToKeep(state(kept, metrics({})))).toBeUndefined();
  expect(bestToKeep(state(kept, { metrics: {} }))).toBeUndefined();
  expect(bestToKeep(state(kept))).toBeUndefined();
  expect(bestToKeep(state([]))).toBeUndefined();
});
