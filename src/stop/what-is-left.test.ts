import { describe, expect, it } from 'vitest';
import { condition } from '../../test/support/facts.js';
import { type Draft, iteration, started, stateAfter, tests } from '../../test/support/record.js';
import { conditionKey } from '../model/condition-key.js';
import type { Policy } from '../model/policy.js';
import { evaluateRun } from './evaluate-policy.js';
import { whatIsLeft, bestToKeep, goalFigures } from './what-is-left.js';
import type { ChecklistRecord } from '../model/checklist.js';
import type { MetricRecord } from '../model/metric.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';

const limits = (...inputs: unknown[]): Partial<Policy> => ({ limits: inputs.map(condition) });
const left = (policy: Partial<Policy>, ...drafts: readonly Draft[]) => {
  const events = [started(policy), ...drafts];
  const verdict = evaluateRun(stateAfter(...events));
  return whatIsLeft(stateAfter(...events, { type: 'verdict-reached', iteration: 1, verdict }), 2);
};

describe('what the next iteration has left of its limits', () => {
  it('is its number alone where there is no limit', () => {
    expect(left({}, ...iteration(1))).toEqual({ limits: 'Iteration 2.', goals: '' });
  });

  it('is its number of the nearest limit on iterations, and how far the others are used up', () => {
    const policy = limits({ max_iterations: 9 }, { max_iterations: 5 }, { max_cost: 5 }, { max_tokens: 1000 });
    expect(left(policy, ...iteration(1)).limits).toBe(
      'Iteration 2 of 5. Used so far: $0.10 of $5.00, 110 of 1,000 tokens.',
    );
  });

  it('names the time that is left apart: a time of the clock is no amount', () => {
    const policy = limits({ deadline: '2026-03-01T01:00:00Z' }, { max_duration: '1h' });
    expect(left(policy, ...iteration(1)).limits).toMatch(
      /^Iteration 2\. Used so far: 4s of 1h active\. Time left: 59m 56s until 2026-03-01T01:00:00Z\.$/,
    );
  });

  it('leaves out what is unknown, reached, or no limit', () => {
    expect(left(limits({ max_cost_per_day: 5 }), ...iteration(1)).limits).toBe('Iteration 2.');
    expect(left(limits({ max_cost: 0.1 }), ...iteration(1)).limits).toBe('Iteration 2.');
    expect(left(limits('never'), ...iteration(1)).limits).toBe('Iteration 2.');
    expect(left({ failure: [condition({ max_cost: 5 })] }, ...iteration(1)).limits).toBe('Iteration 2.');
  });
});

describe('which goals are open', () => {
  const file = condition({ file_created: 'DONE.md' });
  const seen = (met: boolean, more = {}) => iteration(1, { probes: { [conditionKey(file)]: { met } }, ...more });
  const goals = (success: readonly unknown[], ...drafts: readonly Draft[]) =>
    left({ success: success.map(condition) }, ...drafts).goals;

  it('are those that Pawl observes and that are known not to be met', () => {
    expect(goals([{ file_created: 'DONE.md' }], ...seen(false))).toMatch(/^Not done yet: .*DONE\.md.*\.$/);
    expect(goals([{ file_created: 'DONE.md' }], ...seen(true))).toBe('');
    expect(goals([{ file_created: 'DONE.md' }], ...iteration(1))).toBe('');
    expect(left({ failure: [file] }, ...seen(false)).goals).toBe('');
  });

  it('are not those of tests, which the feedback names, nor the word of the agent, to which it must not be pressed', () => {
    const red = seen(false, { tests: tests(1, 1) });
    expect(goals(['all_tests_pass', 'agent_reports_done', { output_pattern: 'DONE' }], ...red)).toBe('');
    expect(goals([{ all: ['all_tests_pass', 'agent_reports_done'] }], ...red)).toBe('');
    expect(goals([{ all: ['all_tests_pass', { file_created: 'DONE.md' }] }], ...red)).toMatch(/DONE\.md/);
  });

  it('are five at most', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const checks = Object.fromEntries(names.map((name) => [name, { passed: false }]));
    const text = goals(
      names.map((name) => ({ check_passes: name })),
      ...iteration(1, { checks }),
    );
    expect(text.split('; ')).toHaveLength(5);
    expect(text).not.toContain('check f');
  });

  it('are none before a verdict', () => {
    expect(whatIsLeft(stateAfter(started({ success: [file] }), ...seen(false)), 2).goals).toBe('');
  });
});

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
