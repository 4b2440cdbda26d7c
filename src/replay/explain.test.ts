import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  record,
  started,
  stateAfter,
  tests,
  trees,
  used,
} from '../../test/support/record.js';
import { recordedRun } from '../../test/support/recorded-run.js';
import {
  allOf,
  allTestsPass,
  anyOf,
  fileCreated,
  holdsFor,
  maxCost,
  maxIterations,
  noProgress,
  not,
  onError,
  rejectRate,
} from '../stop/conditions.js';
import { explain } from './explain.js';

const still = trees('a', 'a');
const moved = trees('a', 'b');
const policy = {
  success: [allOf(allTestsPass(), not(fileCreated('TODO.md')))],
  failure: [noProgress(3)],
  limits: [anyOf(maxIterations(5), maxCost(2))],
};
const drafts: Draft[] = [
  started(policy),
  ...iteration(1, { ...still, tests: tests(3, 1) }),
  ...iteration(2, { ...still, tests: tests(3, 1) }),
  ...iteration(3, { ...moved, tests: tests(2, 2) }),
  ...iteration(4, { ...still, tests: tests(2, 2) }),
  ...iteration(5, { ...still, tests: tests(1, 3) }),
];
const ended: Draft = {
  type: 'run-ended',
  state: 'stopped',
  class: 'limit',
  reasons: [{ path: 'stop.limits[0]', class: 'limit', message: '5 of 5 iterations' }],
};

describe('an explanation does not contradict itself', () => {
  it('when work in flight has moved the figures since the run stopped', () => {
    const message = '3 of 3 iterations in a row without progress';
    const reasons = [{ path: 'stop.failure[0]', class: 'failure', message }] as const;
    const stop: Draft = { type: 'run-ended', state: 'stopped', class: 'failure', reasons };
    const [, failure] = explain(record([...drafts, stop]))?.conditions ?? [];
    expect(failure).toMatchObject({ status: 'met', sentence: message });
    expect(failure?.needed).toBeUndefined();
  });

  it('when fewer tests ran than before', () => {
    const fewer = [started(policy), baseline({ tests: tests(5, 1) }), ...iteration(1, { tests: tests(3, 2) })];
    const [goal] = explain(record(fewer))?.conditions ?? [];
    const needed = goal?.children[0]?.needed;
    expect(needed).toMatch(/^2 more tests.* 1 test .*again/);
  });
});

describe('why a run stopped', () => {
  const explanation = explain(record([...drafts, ended]));
  const [goal, failure, limit] = explanation?.conditions ?? [];

  it('is a tree of conditions with their figures', () => {
    expect(explanation).toMatchObject({ stop: true, class: 'limit', iteration: 5, status: 'stopped' });
    expect(limit).toMatchObject({
      path: 'stop.limits[0]',
      class: 'limit',
      status: 'met',
      children: [
        {
          path: 'stop.limits[0].conditions[0]',
          status: 'met',
          measure: { value: 5, threshold: 5, unit: 'iterations' },
        },
        { path: 'stop.limits[0].conditions[1]', status: 'not-met', measure: { threshold: 2, unit: 'usd' } },
      ],
    });
    expect(goal?.children[1]).toMatchObject({ path: 'stop.success[0].conditions[1]', status: 'unknown' });
    expect(goal?.children[1]?.children[0]).toMatchObject({ path: 'stop.success[0].conditions[1].condition' });
  });

  it('says how close each came before, and when', () => {
    expect(failure).toMatchObject({
      sentence: expect.stringContaining('2 of 3'),
      closest: { iteration: 2, sentence: expect.stringContaining('2 of 3') },
    });
    expect(goal?.children[0]).toMatchObject({
      sentence: '3 of 4 tests fail',
      closest: { iteration: 1, sentence: '1 of 4 tests fail' },
    });
    expect(limit?.closest).toMatchObject({ iteration: 4, progress: 0.8 });
  });

  it('says what it would have taken', () => {
    expect(failure?.needed).toBe('1 more iteration without progress');
    expect(goal?.needed).toMatch(/^3 more tests.* not .*TODO\.md exists/);
    expect(limit?.needed).toBeUndefined();
    expect(limit?.children[1]?.needed).toBe('$1.50 more');
  });

  it('can be asked of an iteration before, and knows nothing of what came after', () => {
    const then = explain(record([...drafts, ended]), { iteration: 2 });
    expect(then).toMatchObject({ stop: false, iteration: 2, reasons: [], status: 'running' });
    expect(then?.conditions[1]).toMatchObject({ measure: { value: 2 }, closest: { iteration: 1 } });
    expect(explain(record(drafts), { iteration: 9 })).toBeUndefined();
  });

  it('counts a raised limit as another one', () => {
    const events = record([
      started({ limits: [maxIterations(2)] }),
      ...iteration(1),
      ...iteration(2),
      { type: 'verdict-reached', iteration: 2, verdict: { stop: true, reasons: [], judgements: [], holds: {} } },
      { type: 'limit-extended', limit: maxIterations(9), by: 'cli' },
      ...iteration(3),
    ]);
    expect(explain(events)?.conditions).toMatchObject([
      { status: 'not-met', closest: undefined, measure: { value: 3 } },
    ]);
  });

  it('says why a run broke', () => {
    const broken: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'the disk is full' };
    expect(explain(record([...drafts.slice(0, 4), broken]))).toMatchObject({
      status: 'error',
      error: 'the disk is full',
    });
  });
});

describe('what is closest to stopping a run that goes on', () => {
  it('has the limits of now and the rest of the last iteration', () => {
    const open = record([
      started({ success: [allTestsPass()], limits: [maxCost(1), maxIterations(9)] }),
      ...iteration(1, { tests: tests(3, 1) }),
      ...iteration(2, { tests: tests(3, 1) }),
      begin(3),
      used({ costUsd: 0.5, totalTokens: 1 }, { id: 'x' }),
    ]);
    const now = explain(open);
    expect(now).toMatchObject({
      stop: false,
      iteration: 2,
      within: 3,
      next: ['stop.limits[0]', 'stop.limits[1]', 'stop.success[0]'],
    });
    expect(now?.conditions[0]).toMatchObject({ status: 'not-met', sentence: '1 of 4 tests fail' });
    expect(now?.conditions[1]).toMatchObject({ sentence: '$0.70 of $1.00', expected: { iteration: 5 } });
  });

  it('is told of a state alone, without what came before', () => {
    const state = stateAfter(started({ failure: [noProgress(4), onError()] }), ...iteration(1, still));
    expect(explain(state)?.conditions).toMatchObject([
      { needed: '3 more iterations without progress', closest: undefined },
      { needed: 'an error' },
    ]);
  });
});

it('a `for` says how many iterations are left', () => {
  const events = record([started({ success: [holdsFor(3, allTestsPass())] }), ...iteration(1, { tests: tests(2, 0) })]);
  expect(explain(events)?.conditions[0]?.needed).toMatch(/^2 more iterations/);
});

it('a pipeline is explained by its items', () => {
  const events = record([
    started({ failure: [rejectRate(0.6)] }, { kind: 'pipeline', items: 3 }),
    { type: 'attempt-ended', item: 'a', index: 0, attempt: 1, outcome: 'failed', durationMs: 1 },
    { type: 'item-ended', item: 'a', index: 0, status: 'failed', attempts: 1 },
    { type: 'attempt-ended', item: 'b', index: 1, attempt: 1, outcome: 'approved', durationMs: 1 },
    { type: 'item-ended', item: 'b', index: 1, status: 'approved', attempts: 1 },
  ]);
  expect(explain(events)?.conditions).toMatchObject([
    { measure: { value: 0.5, threshold: 0.6, unit: 'part' }, closest: { iteration: 1, status: 'met' } },
  ]);
});

it('a record that is cut off at any event can be explained', () => {
  const events = recordedRun();
  for (let length = 0; length <= events.length; length += 1) {
    const { conditions = [], iteration: number } = explain(events.slice(0, length)) ?? {};
    for (const { closest } of conditions) expect(closest?.iteration ?? 0).toBeLessThanOrEqual(number ?? 0);
  }
});

it('an iteration that has ended and was not judged yet is explained', () => {
  const events = record([started({ failure: [noProgress(4)] }), begin(1), end(1, { observation: still })]);
  expect(explain(events)?.conditions).toMatchObject([{ measure: { value: 1 } }]);
});
