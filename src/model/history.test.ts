import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter, used } from '../../test/support/record.js';
import { historyOf, historyRun } from './history.js';

const labelled = (label: 'goal' | 'failure'): Draft => ({
  type: 'run-ended',
  state: label === 'goal' ? 'completed' : 'stopped',
  class: label,
  reasons: [{ path: 'label', class: label, message: 'labelled' }],
});
const handedIn: Draft = { type: 'claim-made', claim: 'done', evidence: 'Submitted', by: 'the agent' };

function run(costUsd: number | undefined, ...after: readonly Draft[]) {
  const state = stateAfter(
    started({}, { kind: 'imported' }),
    begin(1),
    used({ inputTokens: 1, outputTokens: 1, costUsd }, { id: 'r', model: costUsd === 2 ? 'big' : 'small' }),
    ...after.filter(({ type }) => type === 'claim-made' || type === 'agent-finished'),
    end(1, { observation: after.some(({ type }) => type === 'tick') ? asking : {} }),
    ...after.filter(({ type }) => type === 'run-ended'),
  );
  return historyRun(state, costUsd === 2 ? '/a' : '/b');
}
const asking = { request: { kind: 'request', sentence: 'A or B?' } } as const;

describe('the history of many runs', () => {
  const runs = [
    run(2, handedIn, labelled('goal')),
    run(1, handedIn, labelled('failure')),
    run(1, labelled('failure')),
    run(undefined, { type: 'agent-finished' }, labelled('failure')),
    run(1, handedIn, { type: 'run-ended', state: 'stopped', reasons: [] }),
    run(1, handedIn),
  ];
  const history = historyOf(runs);

  it('counts as falsely done only what the agent left as done, of runs whose result is known', () => {
    expect(history.done).toEqual({ said: 3, wrong: 2 });
  });

  it('says where the money went that reached no goal, and where that is not all of it', () => {
    expect(history.withoutGoal).toEqual([
      { name: 'left as done, and was not', runs: 2, goals: 0, usd: 1, unknownRuns: 1 },
      { name: 'not left as done', runs: 1, goals: 0, usd: 1, unknownRuns: 0 },
    ]);
  });

  it('adds up by model, project and day, the dearest first', () => {
    expect(history.byModel.map(({ name, usd, runs: count }) => [name, usd, count])).toEqual([
      ['small', 4, 5],
      ['big', 2, 1],
    ]);
    expect(history.byProject.map(({ name, usd }) => [name, usd])).toEqual([
      ['/b', 4],
      ['/a', 2],
    ]);
    expect(history.byDay).toMatchObject([{ name: '2026-03-01', runs: 6, goals: 1, usd: 6, unknownRuns: 1 }]);
  });

  it('does not take a session for done that ended with a question', () => {
    expect(run(1, { type: 'agent-finished' }, { type: 'tick' }, labelled('failure')).isDone).toBe(false);
    expect(run(1, { type: 'agent-finished' }, labelled('failure')).isDone).toBe(true);
  });

  it('knows of a loop what ended it', () => {
    const limit: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] };
    const state = stateAfter(started(), begin(1), used({ costUsd: 1 }), end(1), limit);
    expect(historyRun(state, '/a')).toMatchObject({ isGoal: false, isDone: false, ending: 'limit reached' });
  });
});
